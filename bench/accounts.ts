import { type Calls, serveParent } from '@/bench/children'
import { config } from '@/lib/kernel/config'
import { runAdmin } from '@/server/admin/run'
import { askServer } from '@/server/admin/socket'

/** Runs as a process of its own, with a product's variables: makes accounts with credit, as `admin keys create` does. */
export type AccountCalls = Calls & { create: (wanted: { count: number; creditUsd: string }) => Promise<string[]> }

serveParent({
  async create({ count, creditUsd }) {
    const keys: string[] = []
    for (let n = 0; n < count; n++) keys.push(await createKey(creditUsd))
    return keys
  },
} satisfies AccountCalls)

async function createKey(creditUsd: string): Promise<string> {
  const argv = ['keys', 'create', '--name', 'bench', '--credit', creditUsd]
  // The embedded database is open in the product.
  const answered = config().databaseUrl === undefined ? await askServer(argv) : undefined
  const { exitCode, output } = answered ?? (await runAdmin(argv))
  if (exitCode !== 0) throw new Error(output)
  return output.trim().split('\n').at(-1)!
}
