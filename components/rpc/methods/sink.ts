import type { Fault } from '@/components/rpc/methods/hex'
import type { ParamPath, ParamProblem } from '@/components/rpc/methods/types'

/** Nobody reads more. */
const MAX_PROBLEMS = 50
/** Values that are looked at: a list of a million addresses must not stop the page. */
const MAX_VALUES = 20_000

/** Where a check puts what it finds, and how much more it may look at. */
export type Sink = { problems: ParamProblem[]; valuesLeft: number; isFull: () => boolean }

export function newSink(): Sink {
  const sink: Sink = {
    problems: [],
    valuesLeft: MAX_VALUES,
    isFull: () => sink.problems.length >= MAX_PROBLEMS || sink.valuesLeft <= 0,
  }
  return sink
}

export function report(sink: Sink, path: ParamPath, fault: Fault | undefined): void {
  if (fault && sink.problems.length < MAX_PROBLEMS) sink.problems.push({ path, ...fault })
}
