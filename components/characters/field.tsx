'use client'

import { type ReactNode, useId, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'

type FieldProps = {
  label: string
  hint?: string
  value: string
  maxLength: number
  rows?: number
  isRequired?: boolean
  placeholder?: string
  onChange: (value: string) => void
}

const BOX =
  'w-full rounded-control border border-control bg-surface px-3 py-2 text-14 placeholder:text-ink-3 pointer-coarse:text-16'

export function Field({ label, hint, rows, isRequired = false, onChange, ...rest }: FieldProps) {
  const id = useId()
  const shared = {
    ...rest,
    id,
    dir: 'auto',
    required: isRequired,
    'aria-describedby': hint ? `${id}-hint` : undefined,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  }
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-13 font-medium text-ink-2">
        {label}
      </label>
      {rows ? (
        <textarea {...shared} rows={rows} className={`thin-scroll block resize-y ${BOX}`} />
      ) : (
        <input {...shared} autoComplete="off" className={`min-h-10 ${BOX}`} />
      )}
      {hint && (
        <p id={`${id}-hint`} className="mt-1 text-12 text-ink-3">
          {hint}
        </p>
      )}
    </div>
  )
}

type FileButtonProps = {
  label: string
  accept: string
  disabled?: boolean
  onFile: (file: File) => void
  children: ReactNode
}

export function FileButton({ label, accept, disabled, onFile, children }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button disabled={disabled} onClick={() => input.current?.click()}>
        {children}
      </Button>
      <FileInput
        ref={input}
        aria-label={label}
        accept={accept}
        tabIndex={-1}
        hidden
        onFiles={([file]) => onFile(file)}
      />
    </>
  )
}
