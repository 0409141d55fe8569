import { createContext, useContext } from 'react'
import type { ParamPath, ParamProblem } from '@/components/rpc/methods/types'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'

/** What every field of a form may need. */
export type FormFacts = {
  network: RpcNetwork
  /** The address that this browser is signed in with, with its checksum, where it is one of the EVM's. */
  wallet: string | undefined
  problemsAt: (path: ParamPath) => readonly ParamProblem[]
  hasProblemsIn: (path: ParamPath) => boolean
  showJson: () => void
}

const FormContext = createContext<FormFacts | undefined>(undefined)

export const FormFactsProvider = FormContext.Provider

export function useForm(): FormFacts {
  const facts = useContext(FormContext)
  if (!facts) throw new Error('a field stands outside of its form')
  return facts
}

/** Finds problems by their place. */
export function problemIndex(problems: readonly ParamProblem[]): Pick<FormFacts, 'problemsAt' | 'hasProblemsIn'> {
  const at = new Map<string, ParamProblem[]>()
  const inside = new Set<string>()
  for (const problem of problems) {
    at.set(keyOf(problem.path), [...(at.get(keyOf(problem.path)) ?? []), problem])
    for (let length = 0; length <= problem.path.length; length += 1) inside.add(keyOf(problem.path.slice(0, length)))
  }
  return {
    problemsAt: (path) => at.get(keyOf(path)) ?? NONE,
    hasProblemsIn: (path) => inside.has(keyOf(path)),
  }
}

const NONE: readonly ParamProblem[] = []
const keyOf = (path: ParamPath): string => JSON.stringify(path)
