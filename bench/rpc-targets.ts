import path from 'node:path'
import { type Child, startChild } from '@/bench/children'
import type { ClientCalls } from '@/bench/load'
import type { MockNodeCalls } from '@/bench/mock-node'
import type { PassThroughCalls } from '@/bench/pass-through'
import { type Product, startProduct } from '@/bench/product'
import type { AccountCalls } from '@/bench/rpc-accounts'
import { type ProxyName, startProxy } from '@/bench/rpc-proxies'
import { writeSettings } from '@/bench/settings'
import { startPostgres } from '@/scripts/postgres'

export type RpcTargetName = 'direct' | ProxyName | 'pass-through' | 'ours' | 'ours-postgres'

/** What stands between the client and the mock node. `keys` are of as many accounts. */
export type RpcTarget = { name: RpcTargetName; origin: string; path: string; keys: string[]; pid?: number }

export type RpcBed = {
  node: Child<MockNodeCalls>
  client: Child<ClientCalls>
  targets: RpcTarget[]
  stop: () => Promise<void>
}

export type RpcBedOptions = {
  /** Only these; all when left out. */
  only?: RpcTargetName[]
  /** Accounts with a key each, on each product. */
  accounts: number
  /** For Node, by target. */
  nodeArguments?: Partial<Record<RpcTargetName, string[]>>
}

const CREDIT_USD = '100000'
const RPC_PATH = '/api/v1/crypto/rpc/base-mainnet'

type Keep = <T extends { stop: () => Promise<unknown> }>(started: T) => T

/** Starts every process that the bench needs, each a child of its own. A proxy that is not installed is left out. */
export async function openRpcBed(folder: string, options: RpcBedOptions): Promise<RpcBed> {
  const stops: (() => Promise<unknown>)[] = []
  const keep: Keep = (started) => {
    stops.unshift(started.stop)
    return started
  }
  const stop = async () => {
    for (const end of stops.splice(0)) await end()
  }
  try {
    const node = keep(await startChild<MockNodeCalls>('mock-node'))
    const nodePort = await node.call('listen')
    const client = keep(await startChild<ClientCalls>('load-client'))
    const targets: RpcTarget[] = []
    for (const name of TARGETS.filter((name) => options.only?.includes(name) ?? true)) {
      const target = await START[name](keep, name, path.join(folder, name), nodePort, options)
      if (target) targets.push(target)
      else console.error(`${name} is not installed, and left out`)
    }
    return { node, client, targets, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

type Start = (
  keep: Keep,
  name: RpcTargetName,
  folder: string,
  nodePort: number,
  options: RpcBedOptions,
) => Promise<RpcTarget | undefined>

const START: Record<RpcTargetName, Start> = {
  direct: async (_, name, __, nodePort) => plain(name, nodePort),
  nginx: (keep, _, folder, nodePort) => proxied('nginx', keep, folder, nodePort),
  haproxy: (keep, _, folder, nodePort) => proxied('haproxy', keep, folder, nodePort),
  async 'pass-through'(keep, name, _, nodePort) {
    const child = keep(await startChild<PassThroughCalls>('pass-through'))
    return plain(name, await child.call('listen', nodePort), child.pid)
  },
  ours: (...asked) => product({}, ...asked),
  async 'ours-postgres'(keep, ...asked) {
    const { url } = keep(await startPostgres())
    return product({ DATABASE_URL: url }, keep, ...asked)
  },
}
/** In the order in which they are measured. */
const TARGETS = Object.keys(START) as RpcTargetName[]

const plain = (name: RpcTargetName, port: number, pid?: number): RpcTarget => ({
  name,
  origin: loopback(port),
  path: '/',
  keys: ['none'],
  pid,
})

async function proxied(name: ProxyName, keep: Keep, folder: string, nodePort: number): Promise<RpcTarget | undefined> {
  const proxy = await startProxy(name, folder, nodePort)
  return proxy && plain(name, keep(proxy).port, proxy.pid)
}

async function product(more: Record<string, string>, ...asked: Parameters<Start>): Promise<RpcTarget> {
  const [keep, name, folder, nodePort, { accounts, nodeArguments = {} }] = asked
  const environment = {
    ...(await writeSettings(folder, nodePort)),
    SANDBOX: 'off',
    RPC_URLS_BASE_MAINNET: loopback(nodePort),
    DATA_DIR: path.join(folder, 'data'),
    ...more,
  }
  const logFile = path.join(folder, 'log')
  const started = keep(await startProduct({ logFile, environment, nodeArguments: nodeArguments[name] }))
  const keys = await createKeys(started, accounts)
  return { name, origin: loopback(started.port), path: RPC_PATH, keys, pid: started.pid }
}

async function createKeys({ environment }: Product, count: number): Promise<string[]> {
  const accounts = await startChild<AccountCalls>('rpc-accounts', {
    environment: { ...environment, LOG_LEVEL: 'silent' },
  })
  try {
    return await accounts.call('create', { count, creditUsd: CREDIT_USD })
  } finally {
    await accounts.stop()
  }
}

const loopback = (port: number): string => `http://127.0.0.1:${port}`
