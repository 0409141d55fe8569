import { setTimeout as sleep } from 'node:timers/promises'
import { EngineError } from '../../engine.ts'
import { serveTasks } from '../task-child.ts'

export type TestInput =
  | { do: 'double'; samples: Float32Array }
  | { do: 'wait'; ms: number }
  | { do: 'spin'; ms: number }
  | { do: 'crash' | 'refuse' | 'throw' | 'environment' }
export type TestOutput = { samples?: Float32Array; environment?: string[]; given?: Record<string, string> }

serveTasks<TestInput, TestOutput>(async (paths) => {
  if (paths.fault) throw new Error(paths.fault)
  return async (input, signal) => {
    if (input.do === 'double') return { samples: input.samples.map((sample) => sample * 2), given: paths }
    if (input.do === 'environment') return { environment: Object.keys(process.env) }
    if (input.do === 'wait') await sleep(input.ms, undefined, { signal })
    if (input.do === 'spin') for (const end = Date.now() + input.ms; Date.now() < end; );
    if (input.do === 'crash') process.kill(process.pid, 'SIGSEGV')
    if (input.do === 'refuse') throw new EngineError('invalid-request', 'Not this.', { cause: new Error('why') })
    if (input.do === 'throw') throw new Error('a secret of the library')
    return {}
  }
})
