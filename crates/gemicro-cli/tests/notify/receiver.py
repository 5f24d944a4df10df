"""A receiver of webhooks that verifies each delivery with the official library.

Usage: receiver.py PORT LOG SECRET [hang | redirect URL]
Prints its port, then appends one JSON line per request to LOG.
"""

import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

PORT, LOG, SECRET, *MODE = sys.argv[1:]


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            event = Webhook(SECRET).verify(body, dict(self.headers))
        except WebhookVerificationError as error:
            event = {"invalid": str(error)}
        line = {
            "path": self.path,
            "id": self.headers["webhook-id"],
            "content_type": self.headers["content-type"],
            "event": event,
        }
        with open(LOG, "a") as log:
            log.write(json.dumps(line) + "\n")
        if MODE[:1] == ["hang"]:
            time.sleep(60)
        if MODE[:1] == ["redirect"]:
            self.send_response(307)
            self.send_header("location", MODE[1])
        else:
            self.send_response(401 if "invalid" in event else 204)
        self.send_header("content-length", "0")
        self.end_headers()

    do_GET = do_POST

    def log_message(self, *_):
        pass


ThreadingHTTPServer.allow_reuse_address = True
server = ThreadingHTTPServer(("127.0.0.1", int(PORT)), Receiver)
print(server.server_port, flush=True)
server.serve_forever()
