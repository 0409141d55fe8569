/** Entry of the child process in which Moonshine writes down speech. Node runs it as it stands. */

import { serveTasks } from '../task-child.ts'
import { hear, loadMoonshine } from './moonshine.ts'
import type { TranscriptionInput, TranscriptionOutput } from './protocol.ts'

serveTasks<TranscriptionInput, TranscriptionOutput>(async (paths) => {
  const model = await loadMoonshine(paths)
  return async ({ samples }, signal) => ({ text: await hear(model, samples, signal), language: 'en' })
})
