"""All widgets may stand on one page, so no two of them style the same class."""

import re
from collections import defaultdict
from pathlib import Path

from minigrad.classroom import views

# A class that a style sheet of this module names: ".mg-gate {" or ".mg-panel .mg-gate td,".
_NAMED = re.compile(r"\.(mg-[a-z_-]+)(?=[^\"'\n]*[{,])")


def test_every_class_is_styled_by_one_widget_alone():
    styled = defaultdict(set)
    for path in Path(views.__file__).parent.glob("*.py"):
        for name in _NAMED.findall(path.read_text(encoding="utf-8")):
            styled[name].add(path.name)
    shared = {name: files for name, files in styled.items()
              if len(files) > 1 and "theme.py" not in files}
    assert shared == {} and len(styled) > 20
