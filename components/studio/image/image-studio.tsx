'use client'

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { generate } from '@/components/studio/generation-store'
import { type FormTask, PROMPT_DRAFT, readImageDraft, useImageDraft } from '@/components/studio/image/draft'
import { ImageForm, tasksWith } from '@/components/studio/image/form'
import { ImageWall } from '@/components/studio/image/image-wall'
import { type ImageModel, type ImageTask, imageModelsQuery, modelFor } from '@/components/studio/image/models'
import { fitSettings, type ImagePrice, priceOfImage, problemOf } from '@/components/studio/image/settings'
import { definedSettings } from '@/components/studio/media-form'
import { StudioFrame } from '@/components/studio/parts/frame'
import { GenerateBar, type PriceBefore } from '@/components/studio/parts/generate-bar'
import { Button } from '@/components/ui/button'
import { readDraft, useDraft } from '@/lib/browser/drafts'
import { failureOf } from '@/lib/browser/failure'
import { formatExactMoney } from '@/lib/browser/format/cost'
import { nano } from '@/lib/contract/money'
import { msg, plural, t } from '@/lib/i18n/t'

const NO_MODELS: readonly ImageModel[] = []

const BUTTON_LABEL: Readonly<Record<FormTask, string>> = {
  generate: msg('Generate'),
  edit: msg('Edit'),
  upscale: msg('Upscale'),
  'background-remove': msg('Remove background'),
}

export function ImageStudio() {
  const query = useQuery(imageModelsQuery())
  const models = query.data ?? NO_MODELS
  const draft = useImageDraft()
  const [prompt, setPrompt] = useDraft(PROMPT_DRAFT)
  const { task, model, wish: input, price } = imageInputOf(models, draft, prompt)
  // A second press while the first is being sent would be another picture.
  const [isSending, setIsSending] = useState(false)
  return (
    <StudioFrame
      kind="image"
      form={
        query.isPending ? (
          <FormLoading />
        ) : query.isError ? (
          <FormFailed error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <ImageForm draft={draft} task={task} models={models} model={model} prompt={prompt} onPrompt={setPrompt} />
        )
      }
      bar={
        tasksWith(models).length > 0 && (
          <GenerateBar
            label={model && task === 'edit' && !model.readsPrompt ? t('Erase object') : t(BUTTON_LABEL[task])}
            price={priceBefore(price)}
            note={price && priceNote(price)}
            problem={isSending ? t('Sending…') : problemOf(input)}
            onGenerate={async (options) => {
              // What is on the form now: the button was drawn a moment ago.
              const now = imageInputOf(models, readImageDraft(), readDraft(PROMPT_DRAFT))
              if (!now.model || problemOf(now.wish) !== undefined) return undefined
              setIsSending(true)
              return await generate(
                {
                  kind: 'image',
                  task: now.wish.task,
                  modelId: now.wish.task === 'background-remove' ? '' : now.model.id,
                  modelName: now.model.name,
                  prompt: now.wish.prompt,
                  settings: definedSettings(now.wish.settings),
                  inputs: [...now.wish.inputs],
                },
                { ...options, isFree: now.price?.total === 0n && now.price.mayAdd === 0n },
              ).finally(() => setIsSending(false))
            }}
          />
        )
      }
      wall={<ImageWall models={models} />}
    />
  )
}

// Returns what applies to the task and its model.
function imageInputOf(models: readonly ImageModel[], draft: ReturnType<typeof readImageDraft>, prompt: string) {
  const tasks = tasksWith(models)
  const task = tasks.includes(draft.task) ? draft.task : (tasks[0] ?? draft.task)
  const model = modelFor(task, models, draft.modelIds[task])
  const inputs = task === 'generate' ? [] : task === 'edit' ? draft.inputs : draft.inputs.slice(0, 1)
  const inputTask: ImageTask = task === 'edit' && inputs.length > 1 ? 'multi-edit' : task
  const isErased = task === 'edit' && inputs.some(({ id }) => draft.erasedIds.includes(id))
  const takesPrompt = task === 'generate' || (task === 'edit' && model?.readsPrompt !== false)
  const input = {
    task: inputTask,
    model,
    prompt: takesPrompt ? prompt.trim() : '',
    settings: model ? fitSettings(draft.settings, inputTask, model) : {},
    inputs,
    isErased,
  }
  return { task, model, wish: input, price: model && priceOfImage({ ...input, model }) }
}

function priceBefore(price: ImagePrice | undefined): PriceBefore {
  if (!price) return { kind: 'unknown' }
  const { total, mayAdd } = price
  if (mayAdd > 0n) return { kind: 'at-most', usd: nano(total + mayAdd) }
  return total === 0n ? { kind: 'free' } : { kind: 'exact', usd: total }
}

function priceNote({ each, count }: ImagePrice): string | undefined {
  return count > 1 && each > 0n
    ? plural(
        count,
        { one: '{count} image at {each}', other: '{count} images at {each}' },
        { each: formatExactMoney(each) },
      )
    : undefined
}

const FormLoading = () => (
  <div role="status" aria-label={t('Loading models')} className="space-y-4">
    <div className="skeleton h-9 w-56" />
    <div className="skeleton h-32 rounded-card" />
    <div className="skeleton h-10" />
    <div className="skeleton h-20" />
  </div>
)

function FormFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div role="alert" className="rounded-card border border-line bg-surface p-4 text-14">
      <p className="font-medium">{t('The models could not be loaded.')}</p>
      <p className="mt-1 text-13 text-ink-2">{failureOf(error).message}</p>
      <Button className="mt-3" onClick={onRetry}>
        {t('Try again')}
      </Button>
    </div>
  )
}
