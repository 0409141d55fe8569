import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { SlotsContext } from '@/components/common/slots'
import { readImageDraft } from '@/components/studio/image/draft'
import { ImageForm } from '@/components/studio/image/form'
import { type ImageModel, imageModels } from '@/components/studio/image/models'
import { renderPart } from '@/components/testing/render'
import { OPERATOR_KEY } from '@/lib/browser/operator'

const modelsOf = (...records: [type: string, traits: string[]][]): ImageModel[] =>
  imageModels({ data: records.map(([type, traits]) => ({ id: type, type, model_spec: { name: type, traits } })) })
const EMBEDDED = modelsOf(['inpaint', ['object_removal']], ['upscale', []])
const SENTENCE = 'No text-to-image model is connected. You can still erase objects and upscale.'

const show = (models: ImageModel[], isOperator: boolean) =>
  renderPart(
    <SlotsContext value={{ ConnectImageServer: () => <p>the operator’s panel</p> }}>
      <ImageForm
        draft={readImageDraft()}
        task="upscale"
        models={models}
        model={models.find(({ type }) => type === 'upscale')}
        prompt=""
        onPrompt={() => {}}
      />
    </SlotsContext>,
    [[OPERATOR_KEY, { isOperator }]],
  )

test('a visitor reads one sentence, and has the tools that work', () => {
  show(EMBEDDED, false)
  expect(screen.getByText(SENTENCE)).toBeTruthy()
  expect(screen.queryByText('the operator’s panel')).toBeNull()
  expect(screen.getAllByRole('radio').map((radio) => radio.parentElement?.textContent)).toEqual(
    expect.arrayContaining(['Erase', 'Upscale']),
  )
})

test('without any model a visitor reads that, and is offered no tool', () => {
  show([], false)
  expect(screen.getByText('No image model is connected.')).toBeTruthy()
  expect(screen.queryByText('the operator’s panel')).toBeNull()
  expect(screen.queryByRole('radio')).toBeNull()
})

test('the operator is offered to connect a server, before the same tools', () => {
  show(EMBEDDED, true)
  expect(screen.getByText('the operator’s panel')).toBeTruthy()
  expect(screen.getByText(SENTENCE)).toBeTruthy()
})

test('where images are made of words, nothing is said', () => {
  show(modelsOf(['image', []], ['upscale', []]), true)
  expect(screen.queryByText(/No text-to-image model/)).toBeNull()
  expect(screen.queryByText('the operator’s panel')).toBeNull()
})
