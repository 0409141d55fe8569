import 'server-only'
import { jsLiteral, KEY_VARIABLE, pyLiteral, shellQuote, visibleJson } from '@/lib/contract/code-literals'
import type { Access, Sample } from '@/lib/contract/docs'
import type { FormBody, Operation } from '@/lib/endpoints/docs/openapi/operation'
import type { DeclaredOperation } from '@/lib/endpoints/docs/reference'
import { config } from '@/lib/kernel/config'

const ADMIN_VARIABLE = 'ADMIN_KEY'
const PROOF_VARIABLE = 'WALLET_PROOF'

type Call = {
  operation: Operation
  method: string
  address: string
  credential: Credential | undefined
  json: unknown
  form: FormBody | undefined
  saveAs: string | undefined
}

type Credential = { header: string; variable: string; prefix: string }

const CREDENTIALS: Record<Access, Credential | undefined> = {
  paid: { header: 'Authorization', variable: KEY_VARIABLE, prefix: 'Bearer ' },
  key: { header: 'Authorization', variable: KEY_VARIABLE, prefix: 'Bearer ' },
  admin: { header: 'Authorization', variable: ADMIN_VARIABLE, prefix: 'Bearer ' },
  wallet: { header: 'SIGN-IN-WITH-X', variable: PROOF_VARIABLE, prefix: '' },
  optional: undefined,
  none: undefined,
}

/** Writes the example of an operation as programs, with `openai` where that client has a method for it. */
export function samplesOf({ method, path, access, id, declared }: DeclaredOperation): Sample[] {
  const { body } = declared
  const call: Call = {
    operation: declared,
    method,
    address: `${config().origin}/api/v1${filled(path, declared)}`,
    credential: CREDENTIALS[access],
    json: body?.json?.example,
    form: body?.json ? undefined : body?.form,
    saveAs: fileOf(declared),
  }
  const client = CLIENT_METHODS[id]
  return [
    { language: 'sh', code: curl(call) },
    { language: 'ts', code: client ? typescriptClient(call, client) : typescriptFetch(call) },
    { language: 'python', code: client ? pythonClient(call, client) : pythonRequests(call) },
  ]
}

const filled = (path: string, { path: parameters = {} }: Operation): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name]?.example ?? name)

const ENDINGS: Readonly<Record<string, string>> = { 'image/png': 'png', 'audio/mpeg': 'mp3', 'video/mp4': 'mp4' }

function fileOf({ content }: Operation): string | undefined {
  const [first] = content
  if (first?.kind !== 'bytes') return undefined
  const ending = first.types.map((type) => ENDINGS[type]).find((known) => known !== undefined)
  return `answer.${ending ?? 'bin'}`
}

const SENT_FILES: Readonly<Record<string, string>> = {
  TranscriptionForm: 'speech.mp3',
  VoiceForm: 'speech.mp3',
  TextParserForm: 'document.pdf',
}
const sentFile = ({ name }: FormBody): string => SENT_FILES[name] ?? 'picture.png'

function curl({ method, address, credential, json, form, saveAs }: Call): string {
  const words = [
    `curl ${method === 'GET' || method === 'POST' ? '' : `-X ${method} `}${shellQuote(address)}`,
    ...(method === 'POST' && json === undefined && !form ? ['-X POST'] : []),
    ...(credential ? [`-H "${credential.header}: ${credential.prefix}$${credential.variable}"`] : []),
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${shellQuote(printed(json))}`]),
    ...(form ? formFields(form).map(([name, value]) => `-F ${shellQuote(`${name}=${value}`)}`) : []),
    ...(saveAs === undefined ? [] : [`-o ${saveAs}`]),
  ]
  return words.join(' \\\n  ')
}

const MAX_LINE_CHARS = 80

function printed(json: unknown): string {
  const line = visibleJson(json)
  // Between the parts of JSON a line break and spaces mean nothing.
  return line.length > MAX_LINE_CHARS ? visibleJson(json, 2).replaceAll('\n', '\n  ') : line
}

function formFields(form: FormBody): [name: string, value: string][] {
  const texts = Object.entries(form.example).flatMap(([name, value]) =>
    Array.isArray(value)
      ? value.map((one): [string, string] => [`${name}[]`, one])
      : [[name, value] as [string, string]],
  )
  return [[form.file, `@${sentFile(form)}`], ...texts]
}

function typescriptFetch({ method, address, credential, json, form, saveAs }: Call): string {
  const imports = [
    ...(form || saveAs
      ? [
          `import { ${[form && 'openAsBlob', saveAs && 'writeFileSync'].filter(Boolean).join(', ')} } from 'node:fs'`,
          '',
        ]
      : []),
  ]
  const headers = [
    ...(credential
      ? [`${header(credential.header)}: \`${credential.prefix}\${process.env.${credential.variable}}\``]
      : []),
    ...(json === undefined ? [] : [`'Content-Type': 'application/json'`]),
  ]
  const filling = form
    ? [
        'const form = new FormData()',
        ...formFields(form).map(([name, value]) =>
          value.startsWith('@')
            ? `form.append(${jsLiteral(name)}, await openAsBlob(${jsLiteral(value.slice(1))}), ${jsLiteral(value.slice(1))})`
            : `form.append(${jsLiteral(name)}, ${jsLiteral(value)})`,
        ),
        '',
      ]
    : []
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${jsLiteral(method)},`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(json === undefined ? [] : [`  body: JSON.stringify(${jsLiteral(json, 1)}),`]),
    ...(form ? ['  body: form,'] : []),
  ]
  const request = options.length === 0 ? jsLiteral(address) : `${jsLiteral(address)}, {\n${options.join('\n')}\n}`
  return [
    ...imports,
    ...filling,
    `const response = await fetch(${request})`,
    'if (!response.ok) throw new Error(await response.text())',
    saveAs === undefined
      ? 'console.log(await response.json())'
      : `writeFileSync(${jsLiteral(saveAs)}, Buffer.from(await response.arrayBuffer()))`,
  ].join('\n')
}

const header = (name: string): string => (/^[A-Za-z]+$/.test(name) ? name : jsLiteral(name))

function pythonRequests({ method, address, credential, json, form, saveAs }: Call): string {
  const key = credential && `os.environ["${credential.variable}"]`
  const value =
    credential && (credential.prefix ? `f"${credential.prefix}{os.environ['${credential.variable}']}"` : key)
  const texts = form ? formFields(form).filter(([, text]) => !text.startsWith('@')) : []
  const lines = [
    `    ${pyLiteral(address)},`,
    ...(credential ? [`    headers={${pyLiteral(credential.header)}: ${value}},`] : []),
    ...(json === undefined ? [] : [`    json=${pyLiteral(json, 1)},`]),
    ...(form ? [`    files={${pyLiteral(form.file)}: open(${pyLiteral(sentFile(form))}, "rb")},`] : []),
    ...(texts.length > 0 ? [`    data=${pyLiteral(Object.fromEntries(texts), 1)},`] : []),
  ]
  return [
    ...(credential ? ['import os', ''] : []),
    'import requests',
    '',
    `response = requests.${method.toLowerCase()}(`,
    ...lines,
    ')',
    'response.raise_for_status()',
    ...(saveAs === undefined
      ? ['print(response.json())']
      : [`with open(${pyLiteral(saveAs)}, "wb") as file:`, '    file.write(response.content)']),
  ].join('\n')
}

type ClientMethod = { name: string; ts?: string; py?: string }

const CLIENT_METHODS: Readonly<Record<string, ClientMethod>> = {
  createChatCompletion: {
    name: 'chat.completions.create',
    ts: 'answer.choices[0]?.message.content',
    py: 'answer.choices[0].message.content',
  },
  createResponse: { name: 'responses.create', ts: 'answer.output_text', py: 'answer.output_text' },
  createEmbeddings: {
    name: 'embeddings.create',
    ts: 'answer.data.map(({ embedding }) => embedding.length)',
    py: '[len(item.embedding) for item in answer.data]',
  },
  createImage: { name: 'images.generate', ts: 'answer.data?.[0]?.b64_json', py: 'answer.data[0].b64_json' },
  createSpeech: { name: 'audio.speech.create' },
  createTranscription: { name: 'audio.transcriptions.create', ts: 'answer.text', py: 'answer.text' },
}

function typescriptClient({ json, form, saveAs }: Call, { name, ts }: ClientMethod): string {
  const fs = [form && 'createReadStream', saveAs && 'writeFileSync'].filter(Boolean)
  const fields = form
    ? `{\n  file: createReadStream(${jsLiteral(sentFile(form))}),\n${Object.entries(form.example)
        .map(([field, value]) => `  ${field}: ${jsLiteral(value)},\n`)
        .join('')}}`
    : jsLiteral(json)
  return [
    ...(fs.length > 0 ? [`import { ${fs.join(', ')} } from 'node:fs'`] : []),
    `import OpenAI from 'openai'`,
    '',
    `const client = new OpenAI({ baseURL: ${jsLiteral(`${config().origin}/api/v1`)}, apiKey: process.env.${KEY_VARIABLE} })`,
    '',
    `const answer = await client.${name}(${fields})`,
    saveAs === undefined
      ? `console.log(${ts ?? 'answer'})`
      : `writeFileSync(${jsLiteral(saveAs)}, Buffer.from(await answer.arrayBuffer()))`,
  ].join('\n')
}

function pythonClient({ json, form, saveAs }: Call, { name, py }: ClientMethod): string {
  const fields = Object.entries(form ? form.example : (json as Record<string, unknown>))
  return [
    'import os',
    '',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url=${pyLiteral(`${config().origin}/api/v1`)}, api_key=os.environ["${KEY_VARIABLE}"])`,
    '',
    `answer = client.${name}(`,
    ...(form ? [`    file=open(${pyLiteral(sentFile(form))}, "rb"),`] : []),
    ...fields.map(([field, value]) => `    ${field}=${pyLiteral(value, 1)},`),
    ')',
    saveAs === undefined ? `print(${py ?? 'answer'})` : `answer.write_to_file(${pyLiteral(saveAs)})`,
  ].join('\n')
}
