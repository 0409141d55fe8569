import { spawn } from 'node:child_process'
import path from 'node:path'
import { type Child, type Keep, loopback, openAll, startChild, stopProcess } from '@/bench/children'
import type { ClientCalls } from '@/bench/load-client'
import type { PassThroughCalls } from '@/bench/pass-through'
import { createKey, isReady, type Product, startProduct } from '@/bench/product'
import type { MockCalls } from '@/bench/settings'
import { writeSettings } from '@/bench/settings'
import { startPostgres } from '@/scripts/postgres'
import { freePort } from '@/scripts/tools/free-port'

export type Target = {
  name: TargetName
  origin: string
  path: string
  key: string
  headers?: Record<string, string>
  pid?: number
}
export type TargetName = 'direct' | 'pass-through' | 'portkey' | 'ours' | 'ours-postgres'

export type Bed = {
  mock: Child<MockCalls>
  client: Child<ClientCalls>
  targets: Target[]
  stop: () => Promise<void>
}

const CREDIT_USD = '100000'

/** Starts every process that the bench needs, each a child of its own. `nodeArguments` are for Node, by target. */
export async function openBed(folder: string, nodeArguments: Partial<Record<TargetName, string[]>> = {}): Promise<Bed> {
  return openAll(async (keep) => {
    const mock = keep(await startChild<MockCalls>('mock-upstream'))
    const mockPort = await mock.call('listen')
    const passThrough = keep(await startChild<PassThroughCalls>('pass-through'))
    const passThroughPort = await passThrough.call('listen', mockPort)
    const client = keep(await startChild<ClientCalls>('load-client'))

    // The gateway alone: local chains would take their share of the machine.
    const environment = { ...(await writeSettings(folder, mockPort)), SANDBOX: 'off' }
    const product = async (name: TargetName, more: Record<string, string>) => {
      const own = { DATA_DIR: path.join(folder, name), ...environment, ...more }
      const logFile = path.join(folder, `${name}.log`)
      return keep(await startProduct({ logFile, environment: own, nodeArguments: nodeArguments[name] }))
    }
    const embedded = await product('ours', {})
    const postgres = keep(await startPostgres())
    const onPostgres = await product('ours-postgres', { DATABASE_URL: postgres.url })
    const plain = { path: '/v1/chat/completions', key: 'none' }
    const targets: Target[] = [
      { name: 'direct', origin: loopback(mockPort), ...plain },
      { name: 'pass-through', origin: loopback(passThroughPort), ...plain, pid: passThrough.pid },
      ...(await peers(keep, mockPort, plain)),
      await productTarget('ours', embedded),
      await productTarget('ours-postgres', onPostgres),
    ]
    return { mock, client, targets }
  })
}

/** Another gateway, where `BENCH_PORTKEY` says where the program of `@portkey-ai/gateway` is (docs/performance.md). */
async function peers(keep: Keep, mockPort: number, plain: Pick<Target, 'path' | 'key'>): Promise<Target[]> {
  const program = process.env.BENCH_PORTKEY
  if (!program) return []
  const port = await freePort()
  const child = spawn(process.execPath, [program, `--port=${port}`, '--headless'], {
    stdio: 'ignore',
    env: { ...process.env, NODE_ENV: 'production' },
  })
  keep({ stop: () => stopProcess(child) })
  const origin = loopback(port)
  if (!(await isReady(origin, child))) throw new Error('the other gateway did not start')
  const headers = { 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${loopback(mockPort)}/v1` }
  return [{ name: 'portkey', origin, ...plain, headers, pid: child.pid }]
}

async function productTarget(name: TargetName, product: Product): Promise<Target> {
  const key = await createKey(product, CREDIT_USD)
  return { name, origin: loopback(product.port), path: '/api/v1/chat/completions', key, pid: product.pid }
}
