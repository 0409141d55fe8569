import { type Calls, serveParent } from '@/bench/children'
import { openDatabase } from '@/lib/db/client'

/** Runs as a process of its own, with the embedded database and nothing else: what that takes of our memory. */
export type PGliteCalls = Calls & { ping: () => void; open: (dataDir: string) => void }

serveParent({
  ping: () => undefined,
  async open(dataDir: string) {
    await openDatabase({ root: process.cwd(), dataDir })
  },
} satisfies PGliteCalls)
