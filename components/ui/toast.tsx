'use client'

import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { Button } from '@/components/ui/button'

/** For things without a place of their own: copied, deleted. Errors appear where the result would be, not here. */
export type Toast = { text: string; action?: { label: string; run: () => void }; lastsMs?: number }

const DEFAULT_LASTS_MS = 4_000

let current: { toast: Toast; id: number } | undefined
let count = 0
const listeners = new Set<() => void>()

/** Shows one line, in place of the one before. */
export function showToast(toast: Toast): void {
  count += 1
  current = { toast, id: count }
  notify()
}

/** Where toasts appear: under the bar, at its end on a desk. At the foot of the page they would lie on the composer. */
export function Toaster() {
  const shown = useSyncExternalStore(
    subscribe,
    () => current,
    () => undefined,
  )
  return (
    // Live by an attribute, too: what a sheet hides of the page while it is open is all but such parts.
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 top-14 z-50 flex justify-center md:justify-end"
    >
      {shown && <ToastLine key={shown.id} toast={shown.toast} />}
    </div>
  )
}

function ToastLine({ toast }: { toast: Toast }) {
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(dismiss, toast.lastsMs ?? DEFAULT_LASTS_MS)
    return () => clearTimeout(timer)
  }, [isHeld, toast])
  /** What had the focus before a person came here with the keys. */
  const before = useRef<HTMLElement | null>(null)
  const run = () => {
    toast.action?.run()
    dismiss()
    const back = before.current?.isConnected ? before.current : document.querySelector('main')
    if (before.current) back?.focus({ preventScroll: true })
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: held while someone points at it or is in it; it does nothing else
    <div
      className="enter pointer-events-auto flex items-center gap-3 rounded-card border border-line bg-ink py-2 ps-4 pe-2 text-14 text-paper shadow-one"
      // A sheet takes a press beside it as a wish to be closed, which this is not.
      onPointerDown={(event) => event.stopPropagation()}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={({ target, relatedTarget }) => {
        if (target.matches(':focus-visible'))
          before.current = relatedTarget instanceof HTMLElement ? relatedTarget : document.querySelector('main')
        setIsHeld(true)
      }}
      onBlur={() => setIsHeld(false)}
    >
      <span className="py-1 pe-2">{toast.text}</span>
      {toast.action && (
        <Button kind="inverse" onClick={run}>
          {toast.action.label}
        </Button>
      )}
    </div>
  )
}

function dismiss(): void {
  current = undefined
  notify()
}

function notify(): void {
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
