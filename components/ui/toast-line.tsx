'use client'

import { useEffect, useRef, useState } from 'react'
import { Button } from '@/components/ui/button'

export type Toast = { text: string; action?: { label: string; run: () => void }; lastsMs?: number }

const DEFAULT_LASTS_MS = 4_000

export function ToastLine({ toast, onDone }: { toast: Toast; onDone: () => void }) {
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return
    const timer = setTimeout(onDone, toast.lastsMs ?? DEFAULT_LASTS_MS)
    return () => clearTimeout(timer)
  }, [isHeld, toast, onDone])
  const before = useRef<HTMLElement | null>(null)
  const run = () => {
    toast.action?.run()
    onDone()
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
