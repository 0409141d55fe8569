import { create } from 'zustand'

type Opening<Request, Answer> = { request: Request; answer: Promise<Answer>; settle: (answer: Answer) => void }

/**
 * A dialog that any feature may ask for and one feature draws. Opened twice it is one dialog, and both callers hear the
 * same; the request waits here until the dialog takes it up.
 */
export function createDialogRequest<Request, Answer>() {
  const useOpening = create<{ opening?: Opening<Request, Answer> | undefined }>(() => ({}))
  const current = () => useOpening.getState().opening
  return {
    open(request: Request): Promise<Answer> {
      const open = current()
      if (open) return open.answer
      const { promise, resolve } = Promise.withResolvers<Answer>()
      useOpening.setState({ opening: { request, answer: promise, settle: resolve } })
      return promise
    },
    /** Answers the callers, and leaves the dialog open. */
    answer: (answer: Answer): void => current()?.settle(answer),
    /** Closes the dialog, and answers callers that have no answer yet. */
    close(answer: Answer): void {
      const closed = current()
      useOpening.setState({ opening: undefined })
      closed?.settle(answer)
    },
    read: (): Request | undefined => current()?.request,
    use: (): Request | undefined => useOpening(({ opening }) => opening?.request),
  }
}
