"""A client of a Touchstone host: one file, standard library only, Python 3.9 or later.

    from touchstone_client import Client
    client = Client("https://eval.example.com", key="...")
    suite = client.install_suite({"suiteId": "acme.shop.evals.desk", ...})
    run = client.create_run("acme.shop.evals.desk@1.0.0", "local.acme.support")
    client.wait(run["runId"])
    print(client.summary(run["runId"])["aggregateScore"])
"""
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Dict, Optional

VENDOR = "/v1/host/touchstone"
TERMINAL = ("completed", "failed", "cancelled")

Document = Dict[str, Any]


class HostError(Exception):
    """What the host refused: its code, its message and its details."""

    def __init__(self, status: int, code: str, message: str, details: Optional[Document] = None) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.details = details or {}


class Client:
    """Installs suites, creates evaluations, waits for them and reads what came of them."""

    def __init__(self, host: str, key: Optional[str] = None, timeout: float = 60.0) -> None:
        self._host = host.rstrip("/")
        self._key = key
        self._timeout = timeout

    def install_suite(self, suite: Document) -> Document:
        """Installs a suite in the form of the wire."""
        return self._send("POST", f"{VENDOR}/suites", suite)

    def create_run(self, suite: str, agent: str, configurable: Optional[Document] = None) -> Document:
        """Starts an evaluation. `suite` and `agent` are ids, or id@version."""
        body = {"mode": "eval", "evalSuiteRef": suite, "agentId": agent, "configurable": configurable or {}}
        return self._send("POST", "/v1/runs", body)

    def run(self, run_id: str) -> Document:
        """Where a run stands."""
        return self._send("GET", f"/v1/runs/{_quoted(run_id)}")

    def wait(self, run_id: str, timeout: Optional[float] = None, every: float = 1.0) -> Document:
        """Waits until the run has ended, and gives it back. Raises TimeoutError when that takes too long."""
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            run = self.run(run_id)
            if run["status"] in TERMINAL:
                return run
            if until is not None and time.monotonic() + every > until:
                raise TimeoutError(f"Run {run_id} has not ended: it is {run['status']}.")
            time.sleep(every)

    def summary(self, run_id: str) -> Document:
        """The scorecard of a completed run."""
        return self._send("GET", f"/v1/runs/{_quoted(run_id)}/eval-summary")

    def report(self, run_id: str) -> Document:
        """How sure the numbers are, and what they are made of."""
        return self._send("GET", f"{VENDOR}/runs/{_quoted(run_id)}/report")

    def _send(self, method: str, path: str, body: Optional[Document] = None) -> Document:
        data = None if body is None else json.dumps(body).encode("utf-8")
        headers = {"accept": "application/json"}
        if data is not None:
            headers["content-type"] = "application/json"
        if self._key is not None:
            headers["authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._host + path, data=data, headers=headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                return json.loads(response.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None


def _quoted(name: str) -> str:
    return urllib.parse.quote(name, safe="")


def _refusal(error: urllib.error.HTTPError) -> HostError:
    try:
        told = json.loads(error.read())
    except ValueError:
        told = {}
    return HostError(error.code, str(told.get("error", "unknown")), str(told.get("message", "")), told.get("details"))
