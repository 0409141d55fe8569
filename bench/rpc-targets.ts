import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, type Keep, loopback, openAll, startChild, stopProcess } from '@/bench/children'
import type { ClientCalls } from '@/bench/load-client'
import type { MockNodeCalls } from '@/bench/mock-node'
import type { PassThroughCalls } from '@/bench/pass-through'
import { createKeys, startProduct } from '@/bench/product'
import { writeSettings } from '@/bench/settings'
import { startPostgres } from '@/scripts/postgres'
import { freePort } from '@/scripts/tools/free-port'

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
  only?: RpcTargetName[]
  accounts: number
  nodeArguments?: Partial<Record<RpcTargetName, string[]>>
}

const CREDIT_USD = '100000'
const RPC_PATH = '/api/v1/crypto/rpc/base-mainnet'

/** Starts every process that the bench needs, each a child of its own. A proxy that is not installed is left out. */
export async function openRpcBed(folder: string, options: RpcBedOptions): Promise<RpcBed> {
  return openAll(async (keep) => {
    const node = keep(await startChild<MockNodeCalls>('mock-node'))
    const nodePort = await node.call('listen')
    const client = keep(await startChild<ClientCalls>('load-client'))
    const targets: RpcTarget[] = []
    for (const name of TARGETS.filter((name) => options.only?.includes(name) ?? true)) {
      const target = await START[name](keep, name, path.join(folder, name), nodePort, options)
      if (target) targets.push(target)
      else console.error(`${name} is not installed, and left out`)
    }
    return { node, client, targets }
  })
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
  ours: (...rest) => product({}, ...rest),
  async 'ours-postgres'(keep, ...rest) {
    const { url } = keep(await startPostgres())
    return product({ DATABASE_URL: url }, keep, ...rest)
  },
}
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

async function product(more: Record<string, string>, ...rest: Parameters<Start>): Promise<RpcTarget> {
  const [keep, name, folder, nodePort, { accounts, nodeArguments = {} }] = rest
  const environment = {
    ...(await writeSettings(folder, nodePort)),
    SANDBOX: 'off',
    RPC_URLS_BASE_MAINNET: loopback(nodePort),
    DATA_DIR: path.join(folder, 'data'),
    ...more,
  }
  const logFile = path.join(folder, 'log')
  const started = keep(await startProduct({ logFile, environment, nodeArguments: nodeArguments[name] }))
  const keys = await createKeys(started, accounts, CREDIT_USD)
  return { name, origin: loopback(started.port), path: RPC_PATH, keys, pid: started.pid }
}

// What others use to hand requests on. Each runs with one thread, as Node does, and logs nothing.
type ProxyName = 'nginx' | 'haproxy'
type Proxy = { pid: number; port: number; stop: () => Promise<void> }

const START_TIMEOUT_MS = 5_000

type Program = { settings: (port: number, upstreamPort: number) => string; arguments: (folder: string) => string[] }

const PROGRAMS: Record<ProxyName, Program> = {
  nginx: { settings: nginxSettings, arguments: (folder) => ['-p', folder, '-e', 'stderr', '-c', 'settings'] },
  haproxy: { settings: haproxySettings, arguments: (folder) => ['-db', '-f', path.join(folder, 'settings')] },
}

/** Starts a proxy in a folder of its own. @returns nothing where it is not installed, or does not start. */
async function startProxy(name: ProxyName, folder: string, upstreamPort: number): Promise<Proxy | undefined> {
  const { settings, arguments: argumentsIn } = PROGRAMS[name]
  const port = await freePort()
  await mkdir(folder, { recursive: true })
  await writeFile(path.join(folder, 'settings'), settings(port, upstreamPort))
  const child = spawn(name, argumentsIn(folder), {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` },
  })
  const isThere = await Promise.race([
    once(child, 'spawn').then(() => true),
    once(child, 'error').then(() => false),
  ]).catch(() => false)
  if (!isThere || !(await isListening(port, child))) {
    if (isThere) await stopProcess(child)
    return undefined
  }
  return { pid: child.pid!, port, stop: () => stopProcess(child) }
}

async function isListening(port: number, child: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (Date.now() < deadline && child.exitCode === null) {
    const socket = connect(port, '127.0.0.1')
    const isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'error').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) return true
    await sleep(50)
  }
  return false
}

function nginxSettings(port: number, upstreamPort: number): string {
  return `
daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 1000000000;
  upstream node {
    server 127.0.0.1:${upstreamPort};
    keepalive 64;
    keepalive_requests 1000000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://node;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`
}

function haproxySettings(port: number, upstreamPort: number): string {
  return `
global
  maxconn 4096
  nbthread 1
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend clients
  bind 127.0.0.1:${port}
  default_backend nodes
backend nodes
  server node 127.0.0.1:${upstreamPort}
`
}
