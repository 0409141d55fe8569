'use client'

import { useMutation } from '@tanstack/react-query'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { failureOf } from '@/lib/browser/failure'
import { t } from '@/lib/i18n/t'

type RemovingProps = {
  name: string
  /** What happens then. */
  effect: string
  label: string
  remove: () => Promise<unknown>
  onRemoved: () => Promise<unknown>
  onKeep: () => void
}

/** Asks once more before something is removed, and shows why it could not be. */
export function Removing({ name, effect, label, remove, onRemoved, onKeep }: RemovingProps) {
  const removing = useMutation({
    mutationFn: remove,
    onSuccess: async () => {
      announce(t('{name} removed', { name }))
      document.querySelector('main')?.focus()
      await onRemoved()
    },
  })
  return (
    <fieldset className="enter mt-3 rounded-card border border-danger bg-surface px-4 py-3">
      <legend className="sr-only">{t('Remove {name}?', { name })}</legend>
      <p>{effect}</p>
      {removing.isError && (
        <p role="alert" className="mt-1 text-13 text-danger">
          {failureOf(removing.error).message}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button className="text-danger!" disabled={removing.isPending} onClick={() => removing.mutate()}>
          {removing.isPending ? t('Removing…') : label}
        </Button>
        <Button kind="plain" autoFocus disabled={removing.isPending} onClick={onKeep}>
          {t('Cancel')}
        </Button>
      </div>
    </fieldset>
  )
}
