'use client'

import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { announce } from '@/components/ui/announcer'
import { IconButton } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'

const SHOWS_MS = 1_500

type CopyTextProps = { label: string /** Asked for when it is copied: it may be megabytes. */; textOf: () => string }

/** Copies a text that is made when it is wanted. */
export function CopyText({ label, textOf }: CopyTextProps) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), SHOWS_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(textOf())
      setIsCopied(true)
      announce('Copied')
    } catch {
      showToast({ text: 'It could not be copied. Download it instead.' })
    }
  }
  return (
    <IconButton label={label} onClick={() => void copy()}>
      {isCopied ? <Check aria-hidden="true" className="text-ok" /> : <Copy aria-hidden="true" />}
    </IconButton>
  )
}
