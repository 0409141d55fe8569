export type ChildSetup = { parentProcessId: number; maxResidentBytes: number }

export type Refusal<Reason extends string> = { reason: Reason; message: string; detail?: string }

/** `isSpent`: the process holds too much memory to take another task. */
export type Report<Result, Reason extends string> = {
  isSpent: boolean
  outcome: { result: Result } | { refusal: Refusal<Reason> }
}
