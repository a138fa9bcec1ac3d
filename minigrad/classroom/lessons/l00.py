"""The cards and the exercise of lesson 00: the price list, and how cards and checks answer."""

from .cards import Card
from .exercises import numbers


def _errors(torch):
    """The price-list program's four errors at the start, where every prediction is 0."""
    return 0 - torch.tensor([1.0, 3.0, 0.0, 2.0])


CARDS = {
    "00-coupon": Card(
        "A small pizza cost 1, a large one 3. With a coupon the small one cost 0, and the large "
        "one 2. How does a coupon change a price? Type a number, negative if the price goes down.",
        answer=lambda torch: torch.tensor(0.0) - torch.tensor(1.0),
        why="From 1 to 0, and from 3 to 2: a coupon takes 1 off.",
        misconceptions={
            1: "The size is right, but with a coupon less is paid: the change is -1.",
            2: "That is how much more a large pizza costs than a small one.",
            -2: "That is the way from a large pizza with a coupon to a small one with a coupon.",
            0: "That is the price of a small pizza with a coupon. It was 1 without.",
        },
    ),
    "00-b": Card(
        "At the start w = [0, 0] and b = 0, so all four predicted payments are 0. The customers "
        "paid t = [1, 3, 0, 2]. What is the mean of the four squared errors?",
        answer=lambda torch: _errors(torch).square().mean(),
        why="(1 + 9 + 0 + 4) / 4 = 3.5.",
        misconceptions={
            lambda torch: _errors(torch).square().sum(): "That is their sum; divide it by four.",
            lambda torch: -_errors(torch).mean(): "That is the mean of t. Square each error first.",
            lambda torch: (
                -_errors(torch).sum()
            ): "That is the sum of t. Square each error, then take the mean.",
            lambda torch: (
                _errors(torch).mean().square()
            ): "You squared the mean. Square first, then take the mean.",
            0: "The predictions are 0, but what was paid is not.",
        },
    ),
    "00-a": Card(
        "y = 3 * x, and x is 5. If x grows by 1, by how much does y grow?",
        answer=lambda torch: 3 * torch.tensor(6.0) - 3 * torch.tensor(5.0),
        why="y goes from 15 to 18. How much y grows when x grows by 1 is what x.grad holds.",
        misconceptions={
            15: "That is y itself. The question is how much it grows.",
            18: "That is the new y. It was 15 before.",
            1: "That is the growth of x; y is three times x.",
            5: "That is x. How fast y grows does not depend on it.",
        },
    ),
}

EXERCISES = [
    numbers(
        "00-1",
        answer="a",
        shows="a, a.requires_grad, a.is_leaf",
        solution="a = torch.tensor([[1., 2., 3.], [4., 5., 6.]], requires_grad=True)",
        praise="a has the shape (2, 3), the right six numbers, and requires_grad.",
        hints=(
            "torch.tensor takes nested lists: one inner list for each row.",
            "Write the numbers with a dot, so that the dtype is float32, and add "
            "requires_grad=True.",
        ),
        also_right=(
            "torch.arange(1., 7.).reshape(2, 3).requires_grad_()",
            "torch.tensor([[1., 2., 3.], [4., 5., 6.]], dtype=torch.float64, requires_grad=True)",
        ),
        mistakes={
            "torch.tensor([1, 2, 3, 4, 5, 6])": "Six numbers in one row: give a list of two lists.",
            "torch.tensor([[1., 2.], [3., 4.], [5., "
            "6.]])": "Rows come first: (2, 3) is two rows of three.",
            "torch.tensor([[1, 2, 3], [4, 5, "
            "6]])": "Only floating-point tensors can have gradients: write 1., 2., 3. with a dot.",
            "torch.tensor([[1., 3., 5.], [2., 4., 6.]], "
            "requires_grad=True)": "You filled the columns first; a list of lists holds the rows.",
            "torch.tensor([[1., 2., 3.], [4., 5., "
            "6.]])": "a does not ask for gradients yet: add requires_grad=True.",
            "torch.arange(1., 7.).requires_grad_().reshape(2, 3)": "This a was computed from "
            "another tensor that requires grad, so a.grad would stay None. Reshape first, and call "
            "requires_grad_() last.",
            "[[1., 2., 3.], [4., 5., 6.]]": "That is a list: torch.tensor(...) turns it into a "
            "tensor.",
        },
    ),
]
