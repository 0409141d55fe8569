// Entry of the child process that transcribes with Whisper. Node runs it unbundled.
import { serveTasks } from '../task-child.ts'
import type { TranscriptionInput, TranscriptionOutput } from '../task-protocol.ts'
import { loadWhisper, transcribe } from './whisper.ts'

serveTasks<TranscriptionInput, TranscriptionOutput>(async (paths) => {
  const model = await loadWhisper(paths)
  return (input, signal) => transcribe(model, input, signal)
})
