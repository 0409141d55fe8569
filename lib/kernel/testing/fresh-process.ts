// A library that finds no database when it is first loaded finds none later.
import 'fake-indexeddb/auto'
import { afterAll, vi } from 'vitest'
import { dropTimer } from '@/lib/kernel/deadlines'
import { closeProcessPools } from '@/lib/kernel/process-pool/pool'

const SURVIVING_PREFIX = '__service'

type Timer = NodeJS.Timeout | undefined
type Kept = {
  __testVariables?: NodeJS.ProcessEnv
  __serviceLedger?: { ledger: { abandon: () => Promise<void> } }
  __serviceCatalogue?: { discovery: Timer; watch: Timer; following: Timer }
}
const holder: Record<string, unknown> & Kept = globalThis

const variables = holder.__testVariables ?? { ...process.env }
holder.__testVariables = variables

// Set up before each file of tests that shares its process with others: what one leaves behind is gone before the next.
afterAll(async () => {
  vi.useRealTimers()
  dropTimer()
  vi.unstubAllGlobals()
  await closeProcessPools()
  await holder.__serviceLedger?.ledger.abandon()
  // They would load the models of this file over those of the next.
  const { discovery, watch, following } = holder.__serviceCatalogue ?? {}
  for (const timer of [discovery, watch, following]) clearInterval(timer)
  for (const name of Object.keys(globalThis)) if (name.startsWith(SURVIVING_PREFIX)) delete holder[name]
  for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name]
  Object.assign(process.env, variables)
})
