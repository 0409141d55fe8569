'use client'

import { Columns2 } from 'lucide-react'
import { useSecondModel } from '@/components/chat/asking/second-model'
import { IconButton } from '@/components/ui/button'
import { createPart } from '@/components/ui/part'
import { usePopover } from '@/components/ui/use-popover'
import type { ModelCard } from '@/lib/browser/models'
import { t } from '@/lib/i18n/t'

/** Fetched when it is first opened, or about to be. */
const modelPopover = createPart(() => import('@/components/chat/models/model-popover'))

type CompareButtonProps = { models: ModelCard[]; model: ModelCard | undefined }

/** Picks a second model that answers the next question beside the chosen one. */
export function CompareButton({ models, model }: CompareButtonProps) {
  const [second, setSecond] = useSecondModel()
  const { trigger, popover } = usePopover(modelPopover)
  const others = models.filter(({ id, isOffline }) => id !== model?.id && !isOffline)
  if (!model || others.length === 0) return null
  return (
    <>
      <IconButton
        {...trigger}
        label={t('Compare with another model')}
        aria-pressed={second !== undefined}
        className="bar-tool aria-pressed:text-accent max-sm:hidden"
      >
        <Columns2 aria-hidden="true" />
        <span className="bar-label">{t('Compare')}</span>
      </IconButton>
      {popover && <popover.part.ModelPopover {...popover.props} models={others} chosenId={second} onPick={setSecond} />}
    </>
  )
}
