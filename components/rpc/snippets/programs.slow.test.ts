import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RpcCallDraft } from '@/components/rpc/client'
import { printSnippet, type SnippetKind } from '@/components/rpc/snippets/snippets'
import { anyCall, type Recorder, run, startRecorder } from '@/components/rpc/snippets/testing'
import { networkOf } from '@/lib/contract/rpc-networks'

const BATCH_SIZE = 60
/** Parameters that no library changes on the way. */
const PLAIN: RpcCallDraft[] = [
  { method: 'eth_getBalance', params: ['0x00000000219ab540356cBB839Cbe05303d7705Fa', 'latest'] },
  { method: 'eth_blockNumber', params: [] },
  { method: 'eth_getLogs', params: [{ fromBlock: '0x1', toBlock: '0x2', topics: [null, ['0x01']] }] },
]

let recorder: Recorder
let folder: string
beforeAll(async () => {
  recorder = await startRecorder()
  folder = await mkdtemp(path.join(tmpdir(), 'lagoon-programs-'))
  await symlink(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  await mkdir(path.join(folder, 'src'))
  const compilerOptions = {
    target: 'ES2023',
    lib: ['dom', 'esnext'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  }
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src/*.mts'] }))
})
afterAll(async () => {
  await recorder?.stop()
  await rm(folder, { recursive: true, force: true })
})

const KINDS: { kind: SnippetKind; slug: 'base-mainnet' | 'starknet-mainnet' }[] = [
  { kind: 'fetch', slug: 'starknet-mainnet' },
  { kind: 'viem', slug: 'base-mainnet' },
  { kind: 'ethers', slug: 'base-mainnet' },
  { kind: 'web3js', slug: 'base-mainnet' },
  { kind: 'starknet', slug: 'starknet-mainnet' },
]

const fileOf = (kind: SnippetKind, isBatch: boolean): string =>
  path.join(folder, 'src', `${kind}-${isBatch ? 'batch' : 'single'}.mts`)

async function write(kind: SnippetKind, slug: string, calls: RpcCallDraft[], isBatch: boolean): Promise<string> {
  const file = fileOf(kind, isBatch)
  await writeFile(file, printSnippet(kind, { origin: recorder.origin, network: networkOf(slug)!, calls, isBatch }))
  return file
}

describe.each(KINDS)('$kind', ({ kind, slug }) => {
  const batch = [...PLAIN, ...fc.sample(anyCall, BATCH_SIZE)]
  const single = fc.sample(anyCall, 1)

  test('a batch of any calls arrives as it was written', async () => {
    await run(process.execPath, [await write(kind, slug, batch, true)], { cwd: folder })
    const requests = recorder.take()
    expect(requests.flatMap(({ calls }) => calls)).toEqual(batch)
    for (const { path: address, authorization } of requests) {
      expect(address).toBe(`/api/v1/crypto/rpc/${slug}`)
      expect(authorization).toBe('Bearer a key')
    }
    // starknet.js has no batches of free calls.
    expect(requests).toHaveLength(kind === 'starknet' ? batch.length : 1)
  })

  test('one call arrives as it was written, and nothing else does', async () => {
    await run(process.execPath, [await write(kind, slug, single, false)], { cwd: folder })
    expect(recorder.take()).toEqual([
      { path: `/api/v1/crypto/rpc/${slug}`, authorization: 'Bearer a key', calls: single, isBatch: false },
    ])
  })
})

test('every program passes the compiler under strict settings', async () => {
  const tsc = path.resolve('node_modules', 'typescript', 'bin', 'tsc')
  await run(process.execPath, [tsc, '-p', folder])
})
