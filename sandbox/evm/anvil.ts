import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { RpcError } from '../json-rpc'

export type Anvil = {
  url: string
  ended: Promise<string>
  stop: () => Promise<void>
}

const isWindows = process.platform === 'win32'
const KEPT_BLOCKS = '4000'
const KEPT_STATES = '16'
const START_TIMEOUT_MS = 15_000
const STOP_TIMEOUT_MS = 3_000
const MAX_OUTPUT_CHARACTERS = 4_000

const OPTIONS = [
  ['--port', '0'],
  // Only the facilitator has money, and no key is known to the world.
  ['--accounts', '0'],
  ['--no-cors'],
  // Then `safe` is one block behind `latest`, and `finalized` two.
  ['--slots-in-an-epoch', '1'],
  // Without it states pile up in memory, and in the home folder.
  ['--prune-history', KEPT_STATES],
  ['--transaction-block-keeper', KEPT_BLOCKS],
  ['--threads', '1'],
].flat()

/**
 * Replaces the shell by the node and leaves a watcher that ends it at the end of standard input: however this process
 * dies, the kernel closes its side.
 */
const UNTIL_EOF =
  'exec 3<&0; (while read -r _; do :; done; kill -TERM $$) <&3 >/dev/null 2>&1 & exec "$@" </dev/null 3<&-'

/**
 * Starts an EVM node with this chain id (decimal digits) on a port and, where the system has them, a random loopback
 * address: it would answer any web page that finds it.
 *
 * @throws Error in words when there is no program for this machine, or when it does not start.
 */
export async function startAnvil(chainId: string): Promise<Anvil> {
  const program = anvilProgram()
  const args = [
    ...OPTIONS,
    '--chain-id',
    chainId,
    '--host',
    process.platform === 'linux' ? randomLoopback() : '127.0.0.1',
  ]
  // Windows ends children with their parent by itself.
  const [command, leading] = isWindows ? [program, []] : ['/bin/sh', ['-c', UNTIL_EOF, 'sh', program]]
  const child = spawn(command, [...leading, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { NODE_ENV: 'production', RUST_LOG: 'off' },
    windowsHide: true,
  })
  const output = collect(child)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) =>
      resolve(`anvil ended (${signal ?? code})${output() && `: ${output().trim()}`}`),
    )
  })
  const stop = () => end(child, ended)
  try {
    return { url: await listening(child, ended), ended, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function anvilProgram(): string {
  const cpu = process.arch === 'x64' ? 'amd64' : process.arch
  const name = `@foundry-rs/anvil-${process.platform}-${cpu}`
  const require = createRequire(import.meta.url)
  try {
    const folder = path.dirname(require.resolve(`${name}/package.json`))
    const program = path.join(folder, 'bin', isWindows ? 'anvil.exe' : 'anvil')
    if (existsSync(program)) return program
  } catch {
    // Said below.
  }
  throw new Error(`there is no local EVM for this machine: the package ${name} is not installed`)
}

function listening(child: ChildProcess, ended: Promise<string>): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('anvil did not start in time')), START_TIMEOUT_MS)
    void ended.then((reason) => reject(new Error(reason)))
    const decoder = new StringDecoder('utf8')
    let text = ''
    const look = (chunk: Buffer) => {
      text += decoder.write(chunk)
      const address = /Listening on (\S+)\s/.exec(text)?.[1]
      if (address === undefined) return
      clearTimeout(timer)
      child.stdout?.off('data', look)
      // It goes on to say what it is asked; nobody reads that.
      child.stdout?.resume()
      resolve(`http://${address}`)
    }
    child.stdout?.on('data', look)
  })
}

function collect(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-MAX_OUTPUT_CHARACTERS)
  })
  return () => text
}

async function end(child: ChildProcess, ended: Promise<string>): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  child.kill('SIGTERM')
  await ended
  clearTimeout(timer)
}

const randomLoopback = (): string => `127.${[...randomBytes(3)].map((byte) => 1 + (byte % 254)).join('.')}`

const ASK_TIMEOUT_MS = 30_000

export type Ask = <T = unknown>(method: string, params?: unknown[]) => Promise<T>

type Reply<T> = { result: T; error?: undefined } | { error: { code: number; message: string; data?: unknown } }

/** @throws RpcError the node's answer; TypeError when it cannot be reached. */
export function createAsk(url: string): Ask {
  return async <T>(method: string, params: unknown[] = []): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(ASK_TIMEOUT_MS),
    })
    // Our own node, whose methods answer what the caller names.
    const reply = (await response.json()) as Reply<T>
    if (reply.error) throw new RpcError(reply.error.code, reply.error.message, reply.error.data)
    return reply.result
  }
}

/** Methods that would make the node send requests to addresses of the caller's. */
const REFUSED = new Set(['anvil_reset', 'hardhat_reset', 'anvil_setRpcUrl'])

const READS =
  /^(eth_(get|call$|chainId|blockNumber|gasPrice|feeHistory|maxPriorityFee|blobBaseFee|estimateGas|fillTransaction|createAccessList|simulate|syncing|accounts)|net_|web3_|debug_|trace_|txpool_|anvil_(dumpState|nodeInfo|metadata|getA))/

export const isRefused = (method: string): boolean => REFUSED.has(method)
export const isRead = (method: string): boolean => READS.test(method)
