'use client'

import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { announce } from '@/components/ui/announcer'
import { Button, IconButton } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { t } from '@/lib/i18n/t'

const SHOWS_MS = 1_500

type CopyButtonProps = { text: string | (() => string); label: string; className?: string }

export function CopyButton({ text, label, className = '' }: CopyButtonProps) {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), SHOWS_MS)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof text === 'string' ? text : text())
      setIsCopied(true)
      announce(t('Copied'))
    } catch {
      showToast({ text: t('Could not copy. Try again.') })
    }
  }
  return (
    <IconButton label={label} onClick={() => void copy()} className={className}>
      {isCopied ? <Check aria-hidden="true" className="text-ok" /> : <Copy aria-hidden="true" />}
    </IconButton>
  )
}

export function RequestId({ id }: { id: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(id)
    showToast({ text: t('Request ID copied') })
  }
  return (
    <Button kind="code" onClick={() => void copy()} title={t('Copy request ID to report a problem')}>
      <Copy aria-hidden="true" className="size-3.5" strokeWidth={1.5} />
      <bdi dir="ltr">{id}</bdi>
    </Button>
  )
}
