/** What a process of a room is told on its command line, as JSON. What the room's owner adds stands behind it. */
export type ChildSetup = { parentProcessId: number; maxResidentBytes: number }

/** Why a task was refused. `message` is for the caller, `detail` for the log: a library's own words. */
export type Refusal<Reason extends string> = { reason: Reason; message: string; detail?: string }

/** The answer to a task. `isSpent`: so much memory is left over from it that the process should take no other. */
export type Report<Result, Reason extends string> = {
  isSpent: boolean
  outcome: { result: Result } | { refusal: Refusal<Reason> }
}
