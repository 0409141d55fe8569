'use client'

import { create } from 'zustand'
import { createPart } from '@/components/ui/part'
import type { Toast } from '@/components/ui/toast-line'

const toastLine = createPart(() => import('@/components/ui/toast-line'))

/** Fetches the toast's code ahead: some toasts say that there is no connection. */
export function fetchToasts(): void {
  // Without a connection now, the first toast asks for it again.
  toastLine.load().catch(() => undefined)
}

const useToasts = create<{ current?: { toast: Toast; id: number } | undefined }>(() => ({}))
let count = 0

export function showToast(toast: Toast): void {
  count += 1
  useToasts.setState({ current: { toast, id: count } })
  fetchToasts()
}

export function Toaster() {
  const shown = useToasts(({ current }) => current)
  const part = toastLine.use(false)
  return (
    // Live by an attribute, too: what a sheet hides of the page while it is open is all but such parts.
    <div
      role="status"
      aria-live="polite"
      className="toaster pointer-events-none fixed inset-x-4 z-50 flex justify-center"
    >
      {shown && part && <part.ToastLine key={shown.id} toast={shown.toast} onDone={dismiss} />}
    </div>
  )
}

function dismiss(): void {
  useToasts.setState({ current: undefined })
}
