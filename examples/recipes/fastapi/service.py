"""A service that exists: it has its own request and its own answer, and knows nothing of Touchstone."""

import re
from typing import Any, Dict

from fastapi import Body, FastAPI

app = FastAPI()
ORDERS = {"1042": {"orderId": "1042", "arrives": "Friday"}}


@app.post("/chat")
def chat(question: Dict[str, Any] = Body(...)) -> Dict[str, Any]:
    found = re.search(r"\d{4}", question["message"])
    if not found:
        return {"reply": {"text": "Which order is it?"}, "steps": []}
    order = ORDERS.get(found.group(), {})
    step = {"name": "orders.get", "args": {"orderId": found.group()}, "result": order}
    text = f"It arrives on {order['arrives']}." if order else f"There is no order {found.group()}."
    return {"reply": {"text": text}, "steps": [step]}
