'use client'

import dynamic from 'next/dynamic'
import { useRef, useState } from 'react'
import { Button } from '@/components/ui/button'
import type { ModelCard } from '@/lib/client/models'
import { t } from '@/lib/i18n/t'

const loadPopover = () => import('@/components/chat/models/model-popover').then((module) => module.ModelPopover)
const ModelPopover = dynamic(loadPopover, { ssr: false })

type PickAnotherProps = {
  /** Why another model may be wanted, as a sentence: that this one is retired, or full. */
  reason: string
  models: ModelCard[]
  chosenId: string | undefined
  onPick: (id: string) => void
}

/** Says what is the matter with a model, and opens the list of all others in its place. */
export function PickAnother({ reason, models, chosenId, onPick }: PickAnotherProps) {
  const [popover, setPopover] = useState<'unopened' | 'open' | 'closed'>('unopened')
  const trigger = useRef<HTMLButtonElement>(null)
  const isOpen = popover === 'open'
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <p className="text-13 text-ink-2">{reason}</p>
      <Button
        ref={trigger}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setPopover(isOpen ? 'closed' : 'open')}
        onPointerEnter={() => void loadPopover()}
        onFocus={() => void loadPopover()}
      >
        {t('Pick another model')}
      </Button>
      {popover !== 'unopened' && (
        <ModelPopover
          isOpen={isOpen}
          onClose={() => setPopover('closed')}
          anchor={trigger}
          models={models}
          chosenId={chosenId}
          onPick={onPick}
        />
      )}
    </div>
  )
}
