'use client'

import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { Alert } from '@/components/ui/notice'
import { failureOf } from '@/lib/browser/failure'
import { t } from '@/lib/i18n/t'

type ConfirmRemovalProps = {
  question: string
  /** What is lost then. */
  children: ReactNode
  label: string
  busyLabel: string
  doneText: string
  remove: () => Promise<unknown>
  onRemoved: () => Promise<unknown>
  onKeep: () => void
}

/** Asks once more before something is removed, and shows why it could not be. */
export function ConfirmRemoval(props: ConfirmRemovalProps) {
  const { question, children, label, busyLabel, doneText, remove, onRemoved, onKeep } = props
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      announce(doneText)
      document.querySelector('main')?.focus()
      await onRemoved()
    },
  })
  return (
    <fieldset className="enter mt-3 rounded-card border border-danger bg-surface px-4 py-3">
      <legend className="sr-only">{question}</legend>
      {children}
      {removing.isError && <Alert className="mt-1">{failureOf(removing.error).message}</Alert>}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button className="text-danger!" disabled={removing.isPending} onClick={() => removing.mutate()}>
          {removing.isPending ? busyLabel : label}
        </Button>
        <Button kind="plain" autoFocus disabled={removing.isPending} onClick={onKeep}>
          {t('Cancel')}
        </Button>
      </div>
    </fieldset>
  )
}
