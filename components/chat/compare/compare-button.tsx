'use client'

import { Columns2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useSecondModel } from '@/components/chat/asking/second-model'
import { IconButton } from '@/components/ui/button'
import { usePopover } from '@/components/ui/use-popover'
import type { ModelCard } from '@/lib/client/models'
import { t } from '@/lib/i18n/t'

const loadPopover = () => import('@/components/chat/models/model-popover').then((module) => module.ModelPopover)
/** Fetched when it is first opened, or about to be. */
const ModelPopover = dynamic(loadPopover, { ssr: false })

type CompareButtonProps = { models: ModelCard[]; model: ModelCard | undefined }

/** Picks a second model that answers the next question beside the chosen one. */
export function CompareButton({ models, model }: CompareButtonProps) {
  const [second, setSecond] = useSecondModel()
  const { trigger, popover } = usePopover(loadPopover)
  const others = models.filter(({ id, isOffline }) => id !== model?.id && !isOffline)
  if (!model || others.length === 0) return null
  return (
    <>
      <IconButton
        {...trigger}
        label={t('Ask a second model, too')}
        aria-pressed={second !== undefined}
        className="aria-pressed:text-accent max-sm:hidden"
      >
        <Columns2 aria-hidden="true" />
      </IconButton>
      {popover && <ModelPopover {...popover} models={others} chosenId={second} onPick={setSecond} />}
    </>
  )
}
