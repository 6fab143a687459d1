"""An OpenAI-style `/embeddings` on this machine, from an ONNX model and its tokenizer. See the README beside it."""

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy
from onnxruntime import InferenceSession, SessionOptions
from tokenizers import Tokenizer

# what the model was trained with
LONGEST = 256


class Encoder:
    def __init__(self, model, tokenizer, threads):
        options = SessionOptions()
        options.intra_op_num_threads = threads
        self.session = InferenceSession(model, options)
        self.tokenizer = Tokenizer.from_file(tokenizer)
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.enable_padding()

    def vectors(self, texts):
        """Unit vectors, the mean over the tokens of each text."""
        encoded = self.tokenizer.encode_batch(texts)
        ids = numpy.array([one.ids for one in encoded], dtype=numpy.int64)
        mask = numpy.array([one.attention_mask for one in encoded], dtype=numpy.int64)
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": numpy.zeros_like(ids)}
        tokens = self.session.run(None, inputs)[0]
        weight = mask[:, :, None]
        sums = (tokens * weight).sum(1) / weight.sum(1)
        return sums / numpy.linalg.norm(sums, axis=1, keepdims=True)


def handler(encoder):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            request = json.loads(self.rfile.read(int(self.headers["content-length"])))
            texts = request["input"]
            texts = [texts] if isinstance(texts, str) else texts
            # those of like length together, so that little is padding
            order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
            data = [None] * len(texts)
            for start in range(0, len(order), 16):
                some = order[start : start + 16]
                for at, vector in zip(some, encoder.vectors([texts[at] for at in some])):
                    data[at] = {"object": "embedding", "index": at, "embedding": [round(float(x), 6) for x in vector]}
            body = json.dumps({"object": "list", "model": request["model"], "data": data}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--port", type=int, default=8089)
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    encoder = Encoder(given.model, given.tokenizer, given.threads)
    server = ThreadingHTTPServer(("127.0.0.1", given.port), handler(encoder))
    print(f"http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
