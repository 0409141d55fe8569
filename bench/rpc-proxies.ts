import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stopProcess } from '@/bench/children'
import { freePort } from '@/scripts/tools/free-port'

/** What others use to hand requests on. Each runs with one thread, as Node does, and logs nothing. */
export type ProxyName = 'nginx' | 'haproxy'
export type Proxy = { pid: number; port: number; stop: () => Promise<void> }

const START_TIMEOUT_MS = 5_000

type Program = { settings: (port: number, upstreamPort: number) => string; arguments: (folder: string) => string[] }

const PROGRAMS: Record<ProxyName, Program> = {
  nginx: { settings: nginxSettings, arguments: (folder) => ['-p', folder, '-e', 'stderr', '-c', 'settings'] },
  haproxy: { settings: haproxySettings, arguments: (folder) => ['-db', '-f', path.join(folder, 'settings')] },
}

/** Starts a proxy in a folder of its own. @returns nothing where it is not installed, or does not start. */
export async function startProxy(name: ProxyName, folder: string, upstreamPort: number): Promise<Proxy | undefined> {
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
