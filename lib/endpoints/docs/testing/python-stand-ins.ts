/** Stand-ins for two Python packages, limited to what the reference uses; they send their arguments over the wire. */
export const PYTHON_STAND_INS: Readonly<Record<string, string>> = {
  'requests.py': `\
import json as _json
import urllib.request
import uuid


class Response:
    def __init__(self, content):
        self.content = content

    def raise_for_status(self):
        pass

    def json(self):
        return _json.loads(self.content)


def request(method, url, headers=None, json=None, files=None, data=None):
    headers = dict(headers or {})
    body = None
    if json is not None:
        body = _json.dumps(json).encode()
        headers["Content-Type"] = "application/json"
    if files is not None:
        mark = uuid.uuid4().hex
        headers["Content-Type"] = f"multipart/form-data; boundary={mark}"
        parts = [(name, value) for name, given in (data or {}).items() for value in (given if isinstance(given, list) else [given])]
        body = b""
        for name, value in parts:
            body += f'--{mark}\\r\\nContent-Disposition: form-data; name="{name}"\\r\\n\\r\\n{value}\\r\\n'.encode()
        for name, file in files.items():
            body += f'--{mark}\\r\\nContent-Disposition: form-data; name="{name}"; filename="{file.name}"\\r\\n\\r\\n'.encode()
            body += file.read() + b"\\r\\n"
        body += f"--{mark}--\\r\\n".encode()
    asked = urllib.request.Request(url, data=body, headers=headers, method=method)
    with urllib.request.urlopen(asked) as reply:
        return Response(reply.read())


def get(url, **rest):
    return request("GET", url, **rest)


def post(url, **rest):
    return request("POST", url, **rest)


def patch(url, **rest):
    return request("PATCH", url, **rest)


def delete(url, **rest):
    return request("DELETE", url, **rest)
`,
  'openai.py': `\
import json
import types

import requests

PATHS = {
    "chat.completions.create": "/chat/completions",
    "responses.create": "/responses",
    "embeddings.create": "/embeddings",
    "images.generate": "/images/generations",
    "audio.speech.create": "/audio/speech",
    "audio.transcriptions.create": "/audio/transcriptions",
}


class Answer(types.SimpleNamespace):
    content = b""

    @property
    def output_text(self):
        return self.output[0].content[0].text

    def write_to_file(self, name):
        open(name, "wb").write(self.content)


class Path:
    def __init__(self, client, names):
        self.client, self.names = client, names

    def __getattr__(self, name):
        return Path(self.client, self.names + [name])

    def __call__(self, **fields):
        url = self.client.base_url + PATHS[".".join(self.names)]
        headers = {"Authorization": f"Bearer {self.client.api_key}"}
        if "file" in fields:
            file = fields.pop("file")
            reply = requests.post(url, headers=headers, files={"file": file}, data=fields)
        else:
            reply = requests.post(url, headers=headers, json=fields)
        try:
            return json.loads(reply.content, object_hook=lambda found: Answer(**found))
        except ValueError:
            answer = Answer()
            answer.content = reply.content
            return answer


class OpenAI:
    def __init__(self, base_url, api_key):
        self.base_url, self.api_key = base_url, api_key

    def __getattr__(self, name):
        return Path(self, [name])
`,
  'run_all.py': `\
import runpy
import sys

for name in sys.argv[1:]:
    runpy.run_path(name)
`,
}
