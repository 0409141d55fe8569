import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { USDC_EVM } from '@/lib/contract/chains'
import { Sandbox } from '@/lib/services/chains/sandbox'
import type { FromSandbox } from '@/sandbox/main'
import { buildSandbox } from '@/scripts/tools/build'

const folder = mkdtempSync(path.join(tmpdir(), 'life-'))
const HOLDER = '0x00000000000000000000000000000000000000b0'
const started: number[] = []

beforeAll(() => buildSandbox(process.cwd()))
afterAll(() => {
  for (const pid of started) kill(pid)
  rmSync(folder, { recursive: true, force: true })
})

const PARENT = `
const child = require('node:child_process').spawn(process.execPath, process.argv.slice(1), {
  stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  detached: true,
  env: { ...process.env, PARENT_PROCESS_ID: String(process.pid) },
})
child.on('message', (message) => process.send({ ...message, pid: child.pid }))
process.on('disconnect', () => process.exit())`

type Running = { parent: ChildProcess; chains: number; anvil: number; sandbox: Sandbox }

async function start(where = folder): Promise<Running> {
  const parent = spawn(process.execPath, ['-e', PARENT, 'sandbox/dist/main.mjs', where], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [message] = (await once(parent, 'message')) as [FromSandbox & { pid: number }]
  if (message.type !== 'ready') throw new Error(message.message)
  const anvil = childrenOf(message.pid).find((pid) => commandOf(pid).includes('anvil'))!
  started.push(parent.pid!, message.pid, anvil)
  return { parent, chains: message.pid, anvil, sandbox: read(where) }
}

const read = (where: string): Sandbox =>
  Sandbox.parse(JSON.parse(readFileSync(path.join(where, 'sandbox.json'), 'utf8')))

async function ask<T>(url: string, method: string, params: unknown[] = []): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: T }).result
}

const usdcOf = ({ evmUrl }: Sandbox): Promise<string> =>
  ask(evmUrl, 'eth_call', [{ to: USDC_EVM, data: `0x70a08231${HOLDER.slice(2).padStart(64, '0')}` }, 'latest'])

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && statOf(pid)?.parent === parent)
}

function statOf(pid: number): { state: string; parent: number } | undefined {
  try {
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return { state: state!, parent: Number(parent) }
  } catch {
    return undefined
  }
}

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8')
const isAlive = (pid: number): boolean => !['Z', 'X', undefined].includes(statOf(pid)?.state)

async function haveEnded(...pids: number[]): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 50) {
    if (!pids.some(isAlive)) return true
    await sleep(50)
  }
  return false
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already, as it should.
  }
}

test.skipIf(process.platform !== 'linux')(
  'when the server is killed both chains end within seconds, and the next start finds what they had',
  async () => {
    const first = await start()
    const { sandbox } = first
    await ask(sandbox.evmUrl, 'sandbox_fund', [HOLDER, '7000000'])
    await ask(sandbox.solanaUrl, 'sandbox_fund', [sandbox.payTo.solana, '9000000'])
    kill(first.parent.pid!)
    expect(await haveEnded(first.chains, first.anvil)).toBe(true)

    const second = await start()
    expect(second.sandbox).toEqual(sandbox)
    expect(BigInt(await usdcOf(second.sandbox))).toBe(7_000_000n)
    const accounts = await ask<{ value: { account: { data: { parsed: unknown } } }[] }>(
      sandbox.solanaUrl,
      'getTokenAccountsByOwner',
      [sandbox.payTo.solana, {}, { encoding: 'jsonParsed' }],
    )
    expect(accounts.value[0]?.account.data.parsed).toMatchObject({ info: { tokenAmount: { amount: '9000000' } } })
    // States of finalized blocks are there from the start.
    const call = [{ to: USDC_EVM, data: `0x70a08231${HOLDER.slice(2).padStart(64, '0')}` }, 'finalized']
    expect(BigInt(await ask<string>(sandbox.evmUrl, 'eth_call', call))).toBe(7_000_000n)

    // And when the chains' own process is killed, nothing of them stays.
    kill(second.chains)
    expect(await haveEnded(second.anvil)).toBe(true)
    kill(second.parent.pid!)
  },
)

test.skipIf(process.platform !== 'linux')('a start that is stuck ends with the server, too', async () => {
  // Node tries to make this folder for ever, and the process hears of nothing meanwhile.
  const parent = spawn(process.execPath, ['-e', PARENT, 'sandbox/dist/main.mjs', '/proc/nope/sandbox'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  let chains: number | undefined
  for (let round = 0; round < 200 && chains === undefined; round++) {
    await sleep(50)
    chains = childrenOf(parent.pid!)[0]
  }
  started.push(parent.pid!, chains!)
  await sleep(500)
  kill(parent.pid!)
  expect((await haveEnded(chains!)) || (await haveEnded(chains!))).toBe(true)
})

test.skipIf(process.platform !== 'linux').each(['chains', 'anvil'] as const)(
  'what was answered is kept, though the %s be killed in the same moment',
  async (victim) => {
    const where = mkdtempSync(path.join(tmpdir(), 'life-'))
    const first = await start(where)
    for (let n = 0; n < 5; n++) await ask(first.sandbox.evmUrl, 'sandbox_fund', [HOLDER, '1000000'])
    kill(first[victim])
    expect(await haveEnded(first.chains, first.anvil)).toBe(true)
    kill(first.parent.pid!)
    writeFileSync(path.join(where, 'evm.state.0123abcd.new'), 'half a state')
    const second = await start(where)
    expect(BigInt(await usdcOf(second.sandbox))).toBe(5_000_000n)
    expect(readdirSync(where).filter((name) => name.endsWith('.new'))).toEqual([])
    second.parent.disconnect()
    await haveEnded(second.chains, second.anvil)
    rmSync(where, { recursive: true })
  },
)

test('when the chains are told to end they say so: nothing is left that would name them', async () => {
  const where = mkdtempSync(path.join(tmpdir(), 'life-'))
  const { parent, chains, anvil } = await start(where)
  for (const name of ['sandbox.json', 'house.json', 'solana.jsonl']) {
    expect(statSync(path.join(where, name)).mode & 0o777).toBe(0o600)
  }
  parent.disconnect()
  expect(await haveEnded(chains, anvil)).toBe(true)
  expect(readdirSync(where).sort()).toEqual(['evm.state', 'house.json', 'ports.json', 'solana.jsonl'])
  rmSync(where, { recursive: true })
})

test('when the EVM dies the process says so and ends', {
  concurrent: true,
  skip: process.platform !== 'linux',
}, async () => {
  const where = mkdtempSync(path.join(tmpdir(), 'life-'))
  const { parent, chains, anvil } = await start(where)
  const told = once(parent, 'message')
  kill(anvil)
  expect((await told)[0]).toMatchObject({ type: 'failed', message: 'anvil ended (SIGKILL)', isInUse: false })
  expect(await haveEnded(chains)).toBe(true)
  kill(parent.pid!)
  rmSync(where, { recursive: true })
})

test('a start waits for chains that are still ending', {
  concurrent: true,
  skip: process.platform !== 'linux',
}, async () => {
  const where = mkdtempSync(path.join(tmpdir(), 'life-'))
  const first = await start(where)
  // They cannot end by themselves before the chain has answered.
  process.kill(first.anvil, 'SIGSTOP')
  first.parent.disconnect()
  for (let waitedMs = 0; waitedMs < 5_000 && existsSync(path.join(where, 'sandbox.json')); waitedMs += 20)
    await sleep(20)
  const starting = start(where)
  await sleep(3_000)
  process.kill(first.anvil, 'SIGCONT')
  const second = await starting
  expect(second.sandbox.payTo).toEqual(first.sandbox.payTo)
  second.parent.disconnect()
  await haveEnded(second.chains, second.anvil)
  rmSync(where, { recursive: true })
})

test('a second server on the folder hears that it is in use', {
  concurrent: true,
  skip: process.platform !== 'linux',
}, async () => {
  const where = mkdtempSync(path.join(tmpdir(), 'life-'))
  const { parent, sandbox } = await start(where)
  await expect(start(where)).rejects.toThrow('in use')
  expect(read(where)).toEqual(sandbox)
  parent.disconnect()
  await once(parent, 'exit')
})

test('where the ports of the last time are taken, others are found', async () => {
  const first = await start()
  const ports = [first.sandbox.evmUrl, first.sandbox.solanaUrl].map((url) => Number(new URL(url).port))
  first.parent.disconnect()
  await haveEnded(first.chains, first.anvil)
  const squatters = await Promise.all(
    ports.map(async (port) => {
      const squatter = createServer().listen(port, '127.0.0.1')
      await once(squatter, 'listening')
      return squatter
    }),
  )
  const second = await start()
  expect([second.sandbox.evmUrl, second.sandbox.solanaUrl]).not.toContain(first.sandbox.evmUrl)
  expect(second.sandbox.solanaUrl).not.toBe(first.sandbox.solanaUrl)
  expect(second.sandbox.payTo).toEqual(first.sandbox.payTo)
  for (const squatter of squatters) squatter.close()
  second.parent.disconnect()
  await haveEnded(second.chains)
})
