import { afterEach, expect, test } from 'vitest'
import { closeProcessPools } from '@/lib/kernel/process-pool/pool'
import type { TestTask } from '@/lib/kernel/testing/child-entry'
import { createParserPool } from '@/lib/services/documents/text-parser'

const open = new AbortController().signal

afterEach(closeProcessPools)

test.each<[string, TestTask, string]>([
  ['that fills the memory', { do: 'hold-and-spin', bytes: 700_000_000 }, 'bomb'],
  ['for which the system kills its reader', { do: 'die', by: 'SIGKILL' }, 'bomb'],
  ['that breaks its reader', { do: 'die', by: 'SIGSEGV' }, 'corrupt'],
])('a document %s is refused in an ExtractionError', async (_, task, reason) => {
  const remaining = createParserPool('kernel/testing/child-entry.ts')
  // The entry does what it is told, whatever its tasks are called here.
  const failing = remaining.run(task as never, open)
  await expect(failing).rejects.toMatchObject({ name: 'ExtractionError', reason })
})
