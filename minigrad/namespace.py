"""What the public namespaces share: the PyTorch page of each name, a sentence for what is not there, old names."""

import functools
import warnings

SITE = "https://docs.pytorch.org/docs/2.13/"


def documented(value, page):
    """Note in the docstring of a public name which page of PyTorch's it mirrors, if it does not say so."""
    doc = value.__doc__
    if doc and "Mirrors" not in doc:
        margin = doc[doc.rfind("\n") + 1 :] if "\n" in doc else "    "
        value.__doc__ = f"{doc.rstrip()}\n\n{margin}Mirrors {SITE}{page}\n{margin}"
    return value


def mirror(names, page, home=None):
    """`documented` for the public names of a module or class (`names` are its variables).

    {} in `page` is the name. `home` begins the names of the modules where they are defined; what comes
    from elsewhere is passed over. A module's own is known.
    """
    home = home or names.get("__name__", "minigrad")
    for name, value in names.items():
        if name[0] != "_" and (isinstance(value, property) or _defined_in(home, value)):
            documented(value, page.format(name))


def _defined_in(home, value):
    return callable(value) and (getattr(value, "__module__", None) or "").startswith(home)


def absent(module):
    """The `__getattr__` of a namespace: what is not there is an AttributeError that says so."""

    def __getattr__(name):
        raise AttributeError(
            f"module '{module}' has no attribute '{name}': minigrad holds the part of PyTorch that a "
            "first course needs"
        )

    return __getattr__


def renamed(function, old, where):
    """`function` under the name it had once, which warns of it."""
    new = function.__name__

    @functools.wraps(function)
    def call(*args, **kwargs):
        warnings.warn(f"`{where}.{old}` is now deprecated in favor of `{where}.{new}`.", FutureWarning, stacklevel=2)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = old
    call.__doc__ = f"The old name of `{new}`: FutureWarning. {function.__doc__}"
    return call


def listed(names, *modules, home=None):
    """The `__dir__` of a namespace, for Tab: what it offers, without what it imports for itself.

    That is what `__all__` says, or else what is defined in its modules, and those of `modules` that it
    offers.
    """
    home = home or names["__name__"]

    def __dir__():
        own = [name for name, value in names.items() if name[0] != "_" and _defined_in(home, value)
               and value.__module__ != __name__]  # fmt: skip
        return sorted([*names.get("__all__", own), *modules])

    return __dir__
