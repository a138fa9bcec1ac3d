"""A package, so that its fixtures of scope "package" end with its last test.

pytest gives a folder without this file no package scope: such a fixture would live until the end of
the whole run, and Playwright's event loop with it, in which no `asyncio.run` can start.
"""
