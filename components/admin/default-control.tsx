import { useMutation } from '@tanstack/react-query'
import { makeDefault } from '@/components/admin/api'
import { announce } from '@/components/ui/announcer'
import { Button } from '@/components/ui/button'
import { Alert } from '@/components/ui/notice'
import { failureOf } from '@/lib/browser/failure'
import { t } from '@/lib/i18n/t'

type DefaultControlProps = { id: string; name: string; isDefault: boolean; onChanged: () => Promise<void> }

/** Says that a model is the default of its type, or makes it the default. */
export function DefaultControl({ id, name, isDefault, onChanged }: DefaultControlProps) {
  const choosing = useMutation({
    mutationFn: () => makeDefault(id),
    onSuccess: async () => {
      announce(t('{name} is the default model', { name }))
      await onChanged()
    },
  })
  if (isDefault) {
    return <span className="self-center rounded-chip bg-accent-soft px-2 text-12 leading-5">{t('Default')}</span>
  }
  return (
    <>
      <Button
        kind="plain"
        className="text-13"
        disabled={choosing.isPending}
        aria-label={t('Make default: {name}', { name })}
        onClick={() => choosing.mutate()}
      >
        {t('Make default')}
      </Button>
      {choosing.isError && <Alert className="w-full">{failureOf(choosing.error).message}</Alert>}
    </>
  )
}
