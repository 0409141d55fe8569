import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '@/components/rpc/snippets/testing'
import type { SampleLanguage } from '@/lib/contract/docs'
import { type DeclaredOperation, reference } from '@/lib/endpoints/docs/reference'
import { samplesOf } from '@/lib/endpoints/docs/samples'
import { compile } from '@/lib/endpoints/docs/testing/compile'
import { PYTHON_STAND_INS } from '@/lib/endpoints/docs/testing/python-stand-ins'
import { config } from '@/lib/kernel/config'

type Sent = { method: string; path: string; credential: string | undefined; type: string; body: string }

const operations = reference().groups.flatMap((group) => group.operations)
const CREDENTIALS = { API_KEY: 'one', ADMIN_KEY: 'two', WALLET_PROOF: 'three' }

let server: Server
let origin: string
let folder: string
let sent: Sent[] = []

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = '', url = '', headers } = request
    const credential = headers.authorization ?? (headers['sign-in-with-x'] as string | undefined)
    const type = (headers['content-type'] ?? '').split(';')[0]!
    sent.push({ method, path: url, credential, type, body: Buffer.concat(chunks).toString() })
    const [reply] =
      operations.find((one) => `/api/v1${filled(one)}` === url && one.method === method)?.declared.content ?? []
    response.setHeader('content-type', reply?.kind === 'bytes' ? 'application/octet-stream' : 'application/json')
    response.end(reply?.kind === 'bytes' ? 'bytes' : JSON.stringify(reply?.kind === 'json' ? reply.example : {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  folder = await mkdtemp(path.join(tmpdir(), 'lagoon-samples-'))
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  await mkdir(path.join(folder, 'src'))
  for (const file of ['speech.mp3', 'picture.png', 'document.pdf']) await writeFile(path.join(folder, file), file)
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

const filled = ({ path: address, declared }: DeclaredOperation): string =>
  address.replace(/\{(\w+)\}/g, (_, name: string) => declared.path?.[name]?.example ?? '')

const programs = (language: SampleLanguage): string[] =>
  operations.map((operation) => {
    const sample = samplesOf(operation).find((one) => one.language === language)
    return sample!.code.replaceAll(config().origin, origin)
  })

function take(): Sent[] {
  const taken = sent
  sent = []
  return taken
}

const SENT_AS = { paid: 'Bearer one', key: 'Bearer one', admin: 'Bearer two', wallet: 'three' } as const

function expectAsDeclared(requests: Sent[]): void {
  expect(requests.map(({ method, path }) => `${method} ${path}`)).toEqual(
    operations.map((operation) => `${operation.method} /api/v1${filled(operation)}`),
  )
  for (const [index, { access, declared, summary }] of operations.entries()) {
    const { credential, type, body } = requests[index]!
    expect(credential, summary).toBe(SENT_AS[access as keyof typeof SENT_AS])
    const { json, form } = declared.body ?? {}
    if (json) {
      expect(type, summary).toBe('application/json')
      expect(JSON.parse(body), summary).toMatchObject(json.example as object)
    } else if (form) {
      expect(type, summary).toBe('multipart/form-data')
      for (const value of Object.values(form.example).flat()) expect(body, summary).toContain(`\r\n\r\n${value}\r\n`)
      expect(body, summary).toMatch(new RegExp(`name="${form.file}"; filename="\\w+\\.\\w+"`))
    } else expect(body, summary).toBe('')
  }
}

test('curl: every operation is called as it is declared', async () => {
  await writeFile(path.join(folder, 'all.sh'), programs('sh').join('\n'))
  await run('/bin/sh', ['-e', 'all.sh'], { cwd: folder, variables: CREDENTIALS })
  expectAsDeclared(take())
})

test('TypeScript: every operation is called as it is declared, by programs that compile under strict settings', async () => {
  const files = programs('ts').map((code, index) => ({ name: `${index}.mts`, code }))
  for (const { name, code } of files) await writeFile(path.join(folder, 'src', name), code)
  await writeFile(path.join(folder, 'all.mjs'), files.map(({ name }) => `await import('./src/${name}')`).join('\n'))
  await run(process.execPath, ['all.mjs'], { cwd: folder, variables: CREDENTIALS })
  expectAsDeclared(take())
  await compile(folder)
})

test('Python: every operation is called as it is declared', async () => {
  for (const [file, code] of Object.entries(PYTHON_STAND_INS)) await writeFile(path.join(folder, file), code)
  const files = programs('python').map((code, index) => ({ name: `sample_${index}.py`, code }))
  for (const { name, code } of files) await writeFile(path.join(folder, name), code)
  await run('python3', ['run_all.py', ...files.map(({ name }) => name)], { cwd: folder, variables: CREDENTIALS })
  expectAsDeclared(take())
})
