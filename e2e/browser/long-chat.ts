import { expect, type Page } from '@playwright/test'
import type { KeptTurn } from './kept-turns'

declare global {
  interface Window {
    readings: number
  }
}

/** Runs in the page: counts how often the words of a whole chat are read. */
export function countReadings(): void {
  window.readings = 0
  const { getAll } = IDBIndex.prototype
  IDBIndex.prototype.getAll = function (this: IDBIndex, ...given: Parameters<typeof getAll>) {
    if (this.objectStore.name === 'parts') window.readings += 1
    return getAll.apply(this, given)
  }
}

const CODE = `\`\`\`ts\nconst one = 1\n\`\`\`\n\n\`\`\`ts\n${'const line = 1\n'.repeat(8)}\`\`\``

/** Five hundred messages. The last answers are tall: their heights say nothing of those above. */
export function longChat(): KeptTurn[] {
  const textAt = (at: number) => {
    if (at === 241) return 'The **quokka** smiles at everybody.'
    return `Turn ${at} of the long chat\n\n- one\n- two${at > 430 && at % 2 ? `\n\n${CODE}` : ''}`
  }
  return Array.from({ length: 500 }, (_, at) => ({ role: at % 2 ? 'assistant' : 'user', text: textAt(at) }))
}

/** Code in a chat that is drawn in part: each block lies under its head. */
export async function expectCodeUnderItsHead(page: Page): Promise<void> {
  const area = page.getByRole('region', { name: 'Conversation' })
  await expect.poll(async () => (await area.evaluate(seenCode)).whole).toBeGreaterThan(0)
  expect((await area.evaluate(seenCode)).covered).toBe(0)
  await area.focus()
  await page.keyboard.press('PageUp')
  await page.keyboard.press('PageUp')
  await expect.poll(async () => (await area.evaluate(seenCode)).whole).toBeGreaterThan(0)
  expect((await area.evaluate(seenCode)).covered).toBe(0)
}

/** Counts the code blocks that are wholly on screen, and those whose head lies over their lines. Runs in the page. */
function seenCode(scroller: Element): { whole: number; covered: number } {
  const view = scroller.getBoundingClientRect()
  const seen = [...scroller.querySelectorAll('.code-block')].filter((block) => {
    const { top, bottom } = block.getBoundingClientRect()
    return top >= view.top && bottom <= view.bottom
  })
  const isCovered = (block: Element) => {
    const [head, words] = [block.firstElementChild, block.querySelector('pre')]
    return !head || !words || head.getBoundingClientRect().bottom > words.getBoundingClientRect().top + 1
  }
  return { whole: seen.length, covered: seen.filter(isCovered).length }
}
