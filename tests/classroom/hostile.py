"""Texts that would run in a page, or break what is written around them, if they came in as HTML."""

import itertools

# What ends the place in which a text may stand, and what then would run.
_ENDS = (
    "",
    ">",
    '">',
    "'>",
    '" ',
    "' ",
    "</td></table>",
    "</option></select>",
    "</style>",
    "</pre></details>",
    "-->",
    "]]>",
)
_RUNS = (
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "onfocus=alert(1) autofocus x=",
    'onmouseover="alert(1)" x="',
    "<a href=javascript:alert(1)>go</a>",
)
_OF_JSON = (
    '"], alert(1), ["',
    "1], alert(1), [2",
    '\\"], "alert(1)": ["',
    "{__proto__: alert(1)}",
    "[[[[[[[",
    "\\u003cimg src=x onerror=alert(1)\\u003e",
    "${alert(1)}",
    "__import__('os').abort()",
)
_OF_ENTITIES = (
    "&lt;img src=x onerror=alert(1)&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "&amp;lt;b onclick=alert(1)&amp;gt;",
    "&quot; onclick=&quot;alert(1)",
    "<b onclick=alert(1)\x00>",
    "<\x00script>alert(1)</script>",
    "<img\u2028src=x onerror=alert(1)>",
    "\u202e<b onclick=alert(1)>",
)
STRINGS = (*map("".join, itertools.product(_ENDS, _RUNS)), *_OF_JSON, *_OF_ENTITIES)
HARMLESS = ("word", "two words", "x" * 60)
