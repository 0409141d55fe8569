'use client'

import { useQuery } from '@tanstack/react-query'
import { Eraser } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Slot } from '@/components/common/slots'
import {
  changeImageDraft,
  changeImageSettings,
  FORM_TASKS,
  type FormTask,
  type ImageDraft,
  PROMPT_ID,
  readImage,
  readImageDraft,
} from '@/components/studio/image/draft'
import {
  MoreForEdit,
  MoreForGenerate,
  QualityField,
  SizeField,
  StyleField,
  VariantsField,
} from '@/components/studio/image/fields'
import { type ImageModel, modelsFor } from '@/components/studio/image/models'
import { enlargedSize } from '@/components/studio/image/settings'
import { Choices, ModelField, PromptField } from '@/components/studio/parts/fields'
import { FileWell } from '@/components/studio/parts/file-well'
import { CHECKERED, useFileUrl } from '@/components/studio/parts/media'
import { loadFile } from '@/components/studio/store'
import { IconButton } from '@/components/ui/button'
import { operatorQuery } from '@/lib/browser/operator'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { msg, t } from '@/lib/i18n/t'

const EraseSheet = dynamic(() => import('@/components/studio/image/erase-sheet').then((module) => module.EraseSheet), {
  ssr: false,
})

const TASK_LABEL: Readonly<Record<FormTask, string>> = {
  generate: msg('Create'),
  edit: msg('Edit'),
  upscale: msg('Upscale'),
  'background-remove': msg('Remove background'),
}

const ACCEPT = 'image/png,image/jpeg,image/webp,image/gif,image/avif,image/heic,.heic,.heif'

export const tasksWith = (models: readonly ImageModel[]): FormTask[] =>
  FORM_TASKS.filter((task) => modelsFor(task, models).length > 0)

type ImageFormProps = {
  draft: ImageDraft
  task: FormTask
  models: readonly ImageModel[]
  model: ImageModel | undefined
  prompt: string
  onPrompt: (prompt: string) => void
}

const taskLabel = (task: FormTask, models: readonly ImageModel[]): string =>
  task === 'edit' && isEraseOnly(models) ? t('Erase') : t(TASK_LABEL[task])

const isEraseOnly = (models: readonly ImageModel[]): boolean =>
  modelsFor('edit', models).every(({ readsPrompt }) => !readsPrompt)

export function ImageForm({ draft, task, models, model, prompt, onPrompt }: ImageFormProps) {
  const tasks = tasksWith(models)
  const able = modelsFor(task, models)
  return (
    <>
      {!tasks.includes('generate') && <NoGenerator tasks={tasks} models={models} />}
      {tasks.length > 1 && (
        <Choices
          label={t('Tool')}
          value={task}
          options={tasks.map((value) => ({ value, label: taskLabel(value, models) }))}
          onChange={(next) => changeImageDraft({ task: next })}
        />
      )}
      {task !== 'generate' && tasks.includes(task) && <Images draft={draft} task={task} model={model} />}
      {(task === 'generate' || task === 'edit') && tasks.includes(task) && model?.readsPrompt !== false && (
        <PromptField
          id={PROMPT_ID}
          label={task === 'generate' ? t('Prompt') : t('Instructions')}
          placeholder={
            task === 'generate' ? t('A lagoon at dawn, mist over the reeds…') : t('Make the sky a storm at sunset…')
          }
          value={prompt}
          onChange={onPrompt}
          max={model?.maxPromptChars ?? Number.POSITIVE_INFINITY}
        />
      )}
      {model && able.length > 0 && task !== 'background-remove' && (
        <ModelField
          models={able}
          value={model.id}
          onChange={(id) => changeImageDraft({ modelIds: { ...draft.modelIds, [task]: id } })}
        />
      )}
      {model && task === 'generate' && <GenerateFields draft={draft} model={model} />}
      {model && task === 'edit' && (
        <>
          <SizeField key={draft.filled} model={model} settings={draft.settings} isEdit />
          <QualityField model={model} settings={draft.settings} />
          <MoreForEdit settings={draft.settings} readsPrompt={model.readsPrompt} />
        </>
      )}
      {model && task === 'upscale' && <FactorField draft={draft} />}
    </>
  )
}

function GenerateFields({ draft: { settings, filled }, model }: { draft: ImageDraft; model: ImageModel }) {
  return (
    <>
      <SizeField key={filled} model={model} settings={settings} />
      <QualityField model={model} settings={settings} />
      <VariantsField settings={settings} />
      <StyleField settings={settings} />
      <MoreForGenerate model={model} settings={settings} filled={filled} />
    </>
  )
}

type ImagesProps = { draft: ImageDraft; task: FormTask; model: ImageModel | undefined }

function Images({ draft, task, model }: ImagesProps) {
  const [erasing, setErasing] = useState<CreationFile>()
  const maxFiles = task === 'edit' ? (model?.maxImages ?? 1) : 1
  const isEraser = task === 'edit' && model?.readsPrompt === false
  const replace = (erased: CreationFile) => {
    markErased(
      erased,
      readImageDraft().inputs.map((file) => (file.id === erasing?.id ? erased : file)),
    )
    setErasing(undefined)
  }
  const take = (inputs: readonly CreationFile[]) => {
    changeImageDraft({ inputs })
    const added = inputs.find(({ id }) => !draft.inputs.some((file) => file.id === id))
    if (isEraser && added) void begin(added)
  }
  /** Opens the brush at once, unless the image came with a hole in it. */
  const begin = async (file: CreationFile) => {
    const image = await loadFile(file)
    const isReady = image ? await hasTransparency(image).catch(() => false) : false
    if (isReady) markErased(file, readImageDraft().inputs)
    else setErasing(file)
  }
  return (
    <>
      <FileWell
        label={maxFiles > 1 ? t('Images (the first is edited)') : t('Image')}
        hint={t('PNG, JPEG, WebP, GIF, AVIF or HEIC, up to 25 MB')}
        files={draft.inputs}
        maxFiles={maxFiles}
        accept={ACCEPT}
        read={readImage}
        onChange={take}
        extra={(file) =>
          task === 'edit' &&
          !isEraser && (
            <IconButton label={t('Erase parts of {name}', { name: file.name })} onClick={() => setErasing(file)}>
              <Eraser aria-hidden="true" />
            </IconButton>
          )
        }
      />
      {isEraser &&
        draft.inputs
          .slice(0, 1)
          .map((file) => (
            <EraseCanvas
              key={file.id}
              file={file}
              isErased={draft.erasedIds.includes(file.id)}
              onErase={() => setErasing(file)}
            />
          ))}
      {task === 'edit' && !isEraser && draft.inputs.length > 0 && (
        <p className="-mt-3 text-12 text-ink-3">{t('To change only part of the image, erase that part first.')}</p>
      )}
      {erasing && <EraseSheet file={erasing} onErased={replace} onClose={() => setErasing(undefined)} />}
    </>
  )
}

// Small: a hole shows in the average of its surroundings, too.
const LOOK_PIXELS = 256
const OPAQUE = 250

async function hasTransparency(image: Blob): Promise<boolean> {
  const bitmap = await createImageBitmap(image, { resizeWidth: LOOK_PIXELS, resizeHeight: LOOK_PIXELS })
  const context = new OffscreenCanvas(LOOK_PIXELS, LOOK_PIXELS).getContext('2d')
  if (!context) return false
  context.drawImage(bitmap, 0, 0)
  bitmap.close()
  const { data } = context.getImageData(0, 0, LOOK_PIXELS, LOOK_PIXELS)
  for (let at = 3; at < data.length; at += 4) if (data[at]! < OPAQUE) return true
  return false
}

function markErased(file: CreationFile, inputs: readonly CreationFile[]): void {
  const erasedIds = [...readImageDraft().erasedIds, file.id].filter((id) => inputs.some((input) => input.id === id))
  changeImageDraft({ inputs, erasedIds })
}

type EraseCanvasProps = { file: CreationFile; isErased: boolean; onErase: () => void }

function EraseCanvas({ file, isErased, onErase }: EraseCanvasProps) {
  const url = useFileUrl(file)
  return (
    <div>
      <button
        type="button"
        onClick={onErase}
        className={`relative block w-full overflow-hidden rounded-card border border-line hover:border-accent ${CHECKERED}`}
      >
        {url ? (
          // biome-ignore lint/performance/noImgElement: its bytes are in this browser
          <img src={url} alt="" className="mx-auto block max-h-80 min-h-32 max-w-full object-contain" />
        ) : (
          <span className="block h-32" />
        )}
        <span className="absolute inset-x-0 bottom-3 flex justify-center">
          <span className="inline-flex min-h-10 items-center gap-2 rounded-control bg-surface px-3.5 text-14 font-medium text-ink shadow-one">
            <Eraser aria-hidden="true" className="size-[18px]" strokeWidth={1.5} />
            {isErased ? t('Erase more') : t('Mark area to erase')}
          </span>
        </span>
      </button>
      <p className="mt-1.5 text-12 text-ink-3">
        {isErased
          ? t('The erased area will be filled to match its surroundings.')
          : t('Paint over the object. The gap is filled to match its surroundings.')}
      </p>
    </div>
  )
}

function FactorField({ draft: { settings, inputs } }: { draft: ImageDraft }) {
  const factor = settings.factor ?? 2
  const [{ width, height } = {}] = inputs
  const size = width !== undefined && height !== undefined ? enlargedSize({ width, height }, factor) : undefined
  return (
    <div>
      <Choices
        label={t('Scale')}
        value={String(factor)}
        options={[
          { value: '2', label: '2×' },
          { value: '4', label: '4×' },
        ]}
        onChange={(value) => changeImageSettings({ factor: value === '4' ? 4 : 2 })}
      />
      {size && width !== undefined && (
        <p className="mt-1 text-12 text-ink-3 tabular-nums">
          {size.width < Math.floor(width * factor)
            ? t('Output size: {size}, the maximum.', { size: `${size.width} × ${size.height}` })
            : t('Output size: {size}.', { size: `${size.width} × ${size.height}` })}
        </p>
      )}
    </div>
  )
}

type NoGeneratorProps = { tasks: readonly FormTask[]; models: readonly ImageModel[] }

/** What the operator can do about it is drawn by another feature, which visitors do not load. */
function NoGenerator({ tasks, models }: NoGeneratorProps) {
  const operator = useQuery(operatorQuery())
  const erases = tasks.includes('edit') && isEraseOnly(models)
  return (
    <>
      {operator.data?.isOperator && <Slot part="ConnectImageServer" />}
      <p className="rounded-card border border-line bg-sunken px-3 py-2.5 text-13 text-ink-2">
        {tasks.length === 0
          ? t('No image model is connected.')
          : erases && tasks.includes('upscale')
            ? t('No text-to-image model is connected. You can still erase objects and upscale.')
            : t('No text-to-image model is connected. You can still work on your own images.')}
      </p>
    </>
  )
}
