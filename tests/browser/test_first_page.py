"""The first page in JupyterLab: it runs, and its table opens a lesson."""

from playwright.sync_api import expect

from tests.browser.notebook import wait_until


def test_the_first_page_runs_and_opens_a_lesson(open_notebook):
    notebook = open_notebook(path="notebooks/index.ipynb")
    notebook.run_all()
    page = notebook.page
    expect(page.locator('.jp-OutputArea img[alt^="First the answer"]')).to_have_count(1)
    expect(
        page.locator(".jp-OutputArea", has_text="Lesson 00  0 of 1 solved").first
    ).to_be_visible()
    page.locator(".jp-OutputArea a", has_text="03 Weigh the outputs").click()
    title = "() => window.jupyterapp.shell.currentWidget.title.label"
    wait_until(lambda: page.evaluate(title), lambda shown: shown == "03-weigh-outputs.ipynb")
