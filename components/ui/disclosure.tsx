'use client'

import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'

type DisclosureProps = {
  label: ReactNode
  isOpen: boolean
  onToggle: () => void
  className: string
  contentClassName?: string
  children: ReactNode
}

export function Disclosure({ label, isOpen, onToggle, className, contentClassName, children }: DisclosureProps) {
  const id = useId()
  return (
    <>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={onToggle}
        className={`-ms-1 inline-flex items-center gap-1 rounded-control px-1 hover:text-ink pointer-coarse:min-h-11 ${className}`}
      >
        <ChevronRight
          aria-hidden="true"
          className={`size-4 transition-transform ${isOpen ? 'rotate-90' : 'rtl:-scale-x-100'}`}
          strokeWidth={1.5}
        />
        {label}
      </button>
      <div id={id} hidden={!isOpen} className={contentClassName}>
        {isOpen && children}
      </div>
    </>
  )
}
