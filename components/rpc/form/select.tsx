'use client'

import type { ControlProps } from '@/components/rpc/form/field-frame'
import { SELECT } from '@/components/rpc/form/look'
import { Select as AnySelect } from '@/components/ui/select'

type SelectProps = Partial<ControlProps> & {
  /** Its name where no label stands by it. */
  label?: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
  className?: string
}

/** A choice among the parameters of a call. */
export function Select({ label, className = '', ...control }: SelectProps) {
  return (
    <span className={`block ${className}`}>
      <AnySelect {...control} aria-label={label} className={SELECT} />
    </span>
  )
}
