import { monitorEventLoopDelay } from 'node:perf_hooks'
import { utils, write } from '@e965/xlsx'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { POST } from '@/app/api/v1/augment/text-parser/route'
import { chatStage } from '@/app/api/v1/chat/completions/testing/stage'
import { textPicture } from '@/e2e/testing/local-site'
import { TextParserResponse } from '@/lib/contract/augment.schema'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { testWallet } from '@/lib/pipeline/testing'
import { docx, epub, paragraph, pdf, pptx, shape, zip } from '@/lib/services/documents/testing/documents'
import { parserPool } from '@/lib/services/documents/text-parser'

afterAll(() => parserPool().close())

const stage = await chatStage({
  route: { path: 'augment/text-parser', POST, body: {} },
  settings: { WELCOME_CREDIT_USD: '1' },
})
const { call, spent, linesOf } = stage

type Sent = {
  name?: string
  type?: string
  fields?: Record<string, string>
  headers?: Record<string, string | undefined>
}

async function parse(content: Uint8Array | string, { name = 'file', type = '', fields = {}, headers = {} }: Sent = {}) {
  const form = new FormData()
  form.set('file', new File([typeof content === 'string' ? content : new Uint8Array(content)], name, { type }))
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  return send(form, headers)
}
async function send(form: FormData, headers: Record<string, string | undefined> = {}) {
  const encoded = new Response(form)
  const type = encoded.headers.get('content-type')!
  return call({}, { raw: await encoded.arrayBuffer(), headers: { 'content-type': type, ...headers } })
}

beforeEach(() => {
  for (const name of ['windows', 'failure-budget']) resetPerProcess(name)
})

test('a document becomes text with an estimate of its tokens, for a cent', async () => {
  const response = await parse(await pdf([['Invoice 17', 'Two oars, one sail.']]), { name: 'invoice.pdf' })
  expect(response.status).toBe(200)
  const body = await response.json()
  expect(TextParserResponse.parse(body)).toEqual(body)
  expect(body).toEqual({ text: 'Invoice 17\nTwo oars, one sail.', tokens: 10 })
  expect(response.headers.get('x-ratelimit-limit-requests')).toBe('500')
  expect(response.headers.get('x-service-balance-usd')).toBe('5.000000')
  expect(await spent()).toBe(0.01)
  expect(await linesOf()).toEqual({ 'augment-text-parser': [1, 0.01] })
})

const book = (rows: unknown[][], bookType: 'xlsx' | 'xls') =>
  new Uint8Array(
    write({ SheetNames: ['Tides'], Sheets: { Tides: utils.aoa_to_sheet(rows) } }, { type: 'array', bookType }),
  )
const OCTETS = 'application/octet-stream'
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'

test.each<[string, () => Uint8Array | string, Sent, string]>([
  ['DOCX by its type', () => docx(paragraph('Report', '<w:pStyle w:val="H2"/>')), { type: DOCX }, '## Report'],
  ['DOCX by its name', () => docx(paragraph('Report')), { name: 'a.docx', type: OCTETS }, 'Report'],
  ['PPTX', () => pptx([{ shapes: shape('title', ['Why tides']) }]), { name: 'a.pptx' }, '## Slide 1: Why tides'],
  [
    'XLSX',
    () =>
      book(
        [
          ['Port', 'High'],
          ['Norte', 9.2],
        ],
        'xlsx',
      ),
    { name: 'a.xlsx' },
    '| Port | High |',
  ],
  [
    'XLS',
    () =>
      book(
        [
          ['Port', 'High'],
          ['Norte', 9.2],
        ],
        'xls',
      ),
    { type: 'application/vnd.ms-excel' },
    '| Norte | 9.2 |',
  ],
  ['EPUB', () => epub(['<h1>Chapter</h1><p>The moon.</p>']), { type: 'application/epub+zip' }, '# Chapter'],
  ['plain text', () => 'The tide table.', { type: 'text/plain' }, 'The tide table.'],
  ['CSV', () => 'port,high\nNorte,9.2', { type: 'text/csv' }, 'port,high\nNorte,9.2'],
  ['JSON', () => '{"tide": "high"}', { name: 'a.json', type: OCTETS }, '{"tide": "high"}'],
  [
    'source code',
    () => 'def tide():\n    return 9.2',
    { name: 'tide.py', type: OCTETS },
    'def tide():\n    return 9.2',
  ],
  ['text in an old charset', () => Buffer.from('Gezeiten für alle', 'latin1'), { name: 'a.txt' }, 'Gezeiten für alle'],
])('%s is read', async (_, make, sent, text) => {
  const response = await parse(make(), sent)
  expect({ status: response.status, body: await response.json() }).toEqual({
    status: 200,
    body: { text: expect.stringContaining(text), tokens: expect.any(Number) },
  })
})

test('as text it is the text alone', async () => {
  const response = await parse('Größe "14"\n', { name: 'a.txt', fields: { response_format: 'text', colour: 'red' } })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toBe('Größe "14"\n')
  expect(await spent()).toBe(0.01)
})

const MB = 1_000_000

test('a text as large as may be sent is whole, and holds nobody up', async () => {
  // Nine bytes, six characters.
  const text = `${'é"\n🌊 '.repeat(2_750_000)}.`
  const bytes = Buffer.from(text)
  expect(bytes.length).toBeGreaterThan(24 * MB)
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const cpuBefore = process.threadCpuUsage()
  delay.enable()
  const response = await parse(bytes, { name: 'log.txt' })
  delay.disable()
  const { user, system } = process.threadCpuUsage(cpuBefore)
  expect(response.status).toBe(200)
  const body = await response.json()
  expect(body.text === text).toBe(true)
  expect(body.tokens).toBe(Math.ceil(text.length / 3.2))
  // As work of this thread: where the machine does other things too, it is late without having worked.
  expect(Math.min(delay.percentile(90) / 1e6, (user + system) / 1e3)).toBeLessThan(200)
}, 30_000)

test('more is refused, by its length and when it is counted', async () => {
  const response = await parse(Buffer.alloc(25 * MB + 1, 'a'), { name: 'log.txt' })
  expect(response.status).toBe(413)
  expect(await response.json()).toEqual({ error: expect.stringContaining('25 MB'), code: 'PAYLOAD_TOO_LARGE' })
  const far = await call(
    {},
    { raw: 'x', headers: { 'content-type': 'multipart/form-data; boundary=x', 'content-length': '99999999' } },
  )
  expect(far.status).toBe(413)
  expect(await spent()).toBe(0)
})

const ole2 = (stream: string) =>
  Buffer.concat([
    Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    Buffer.alloc(1_000),
    Buffer.from(stream, 'utf16le'),
    Buffer.alloc(1_000),
  ])

test.each<[string, () => Uint8Array | string | Promise<Uint8Array>, Sent, RegExp]>([
  ['an empty file', () => '', { name: 'a.txt' }, /^The file is empty/],
  ['text of blanks', () => ' \n ', { name: 'a.txt' }, /^There is no text/],
  ['a document without text', () => docx(paragraph(' ')), { name: 'a.docx' }, /^There is no text/],
  [
    'a protected document',
    () => ole2('EncryptedPackage'),
    { name: 'a.docx' },
    /^The document is protected by a password/,
  ],
  ['a damaged PDF', () => '%PDF-1.7 and no more', { name: 'a.pdf' }, /^The document is damaged/],
  [
    'what only says that it is a PDF',
    () => Buffer.of(1, 2, 3, 0, 255),
    { type: 'application/pdf' },
    /^The document is damaged/,
  ],
  ['a picture', () => textPicture('High water'), { name: 'a.png', type: 'image/png' }, /^This type of file/],
  [
    'a picture that says it is a document',
    () => textPicture('High water'),
    { name: 'a.pdf', type: 'application/pdf' },
    /^This type of file/,
  ],
  ['an archive', () => zip({ 'readme.txt': 'tide' }), { name: 'a.zip', type: 'application/zip' }, /^This type of file/],
  ['sound', () => Buffer.from('ID3\x03\0\0\0\0\0\x21'), { name: 'a.mp3', type: 'audio/mpeg' }, /^This type of file/],
  ['an old Word file', () => ole2('WordDocument'), { name: 'a.doc', type: 'application/msword' }, /^This type of file/],
])('%s: 400 in words of its own, and free', async (_, make, sent, message) => {
  const response = await parse(await make(), sent)
  expect(response.status).toBe(400)
  const said = await response.json()
  expect(said).toMatchObject({ error: expect.stringMatching(message), code: 'INVALID_REQUEST' })
  expect(said.issues).toEqual([{ code: 'custom', path: ['file'], message: said.error }])
  expect(await spent()).toBe(0)
})

test('a form without a file, or with another field that is wrong, is refused', async () => {
  const empty = new FormData()
  empty.set('file', 'just words')
  for (const form of [new FormData(), empty]) {
    form.set('other', 'x')
    const response = await send(form)
    expect(response.status).toBe(400)
    expect((await response.json()).issues[0]).toMatchObject({
      path: ['file'],
      message: expect.stringContaining('"file"'),
    })
  }
  const wrong = await parse('tide', { name: 'a.txt', fields: { response_format: 'markdown' } })
  expect(wrong.status).toBe(400)
  expect((await wrong.json()).issues[0]).toMatchObject({ path: ['response_format'] })
  const broken = await call({}, { raw: 'no form', headers: { 'content-type': 'multipart/form-data; boundary=x' } })
  expect(broken.status).toBe(400)
  expect((await call({ file: 'tide' })).status).toBe(415)
  expect(await spent()).toBe(0)
})

test('without credentials the reply says how to pay; a wallet pays with its signature', async () => {
  expect((await call({}, { raw: '', headers: { authorization: undefined } })).status).toBe(402)
  const headers = { authorization: undefined, ...(await testWallet().signIn()) }
  const response = await parse('The tide table.', { name: 'a.txt', headers })
  expect(response.status).toBe(200)
  expect(response.headers.get('x-balance-remaining')).toBe('0.990000')
})
