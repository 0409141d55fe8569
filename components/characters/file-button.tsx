'use client'

import { type ReactNode, useRef } from 'react'
import { Button } from '@/components/ui/button'
import { FileInput } from '@/components/ui/file-input'

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
