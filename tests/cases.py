"""Many quick cases as one test."""

import inspect


def over(name, cases, ids=repr):
    """As pytest.mark.parametrize, but all cases are one test, and a failure says which case it was.

    pytest takes some milliseconds for each test that it counts, longer than most cases take. A
    fixture of the test is the same for all of them. Of several names, "a, b", a case has as many
    values. The cases may be a function that gives them, which is called when the test is run.
    """
    names = name.replace(",", " ").split()

    def decorate(test):
        def test_all(**fixtures):
            every = list(cases() if callable(cases) else cases)
            assert every, "there are no cases"
            for case in every:
                values = [case] if len(names) == 1 else case
                try:
                    test(**dict(zip(names, values)), **fixtures)
                except BaseException as failed:
                    failed.add_note(f"Where {name} = {ids(case)}.")
                    raise

        fixtures = [one for one in inspect.signature(test).parameters if one not in names]
        test_all.__signature__ = inspect.Signature(
            [inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY) for one in fixtures]
        )
        test_all.__name__, test_all.__doc__ = test.__name__, test.__doc__
        return test_all

    return decorate
