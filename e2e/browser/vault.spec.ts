import type { Page } from '@playwright/test'
import { answered, answers, ask, DESK, inspect, live, openNewChat } from '@/e2e/testing/ui-page'
import { keepChat } from './kept-turns'
import { expect, test } from './ui-scripted'

// Chats that nobody reads without the passphrase.

const PASSPHRASE = 'otter lamp granite violin'
/** Words of the chats, each of which no other part of the page has. */
const WORDS = ['marmalade', 'quokka', 'xylophone', 'zeppelin', 'rhubarb']

/** All that the browser keeps of this site in IndexedDB and localStorage, as one text. */
const kept = (page: Page): Promise<string> =>
  page.evaluate(async () => {
    const done = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error)
      })
    const texts = [JSON.stringify(localStorage), JSON.stringify(sessionStorage)]
    const take = async (value: unknown): Promise<void> => {
      if (value instanceof Blob) texts.push(await value.text())
      else if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) texts.push(new TextDecoder().decode(value))
      else if (value !== null && typeof value === 'object') {
        for (const [name, item] of Object.entries(value)) {
          texts.push(name)
          await take(item)
        }
      } else texts.push(String(value))
    }
    for (const { name = '' } of await indexedDB.databases()) {
      const database = await done(indexedDB.open(name))
      for (const table of database.objectStoreNames) {
        const store = database.transaction(table).objectStore(table)
        const all = await Promise.all([done(store.getAll()), done(store.getAllKeys())])
        await take(all)
      }
      database.close()
    }
    return texts.join('\n')
  })

async function expectNothingPlain(page: Page): Promise<void> {
  const text = await kept(page)
  expect(text).toContain('passphrase')
  for (const word of WORDS) expect(text).not.toContain(word)
}

async function unlock(page: Page, passphrase = PASSPHRASE): Promise<void> {
  await page.getByLabel('Passphrase', { exact: true }).fill(passphrase)
  await page.keyboard.press('Enter')
}

/** A passkey of this device that says yes to all it is asked. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      hasPrf: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
}

const isLocked = (page: Page) => page.getByRole('heading', { name: 'Your chats are locked' })

test(
  'the vault is turned on, locked, opened in two tabs, and turned off',
  DESK,
  async ({ page, scripted }, testInfo) => {
    await openNewChat(page)
    const address = await keepChat(page, 'Who likes marmalade?', [
      { role: 'user', text: 'Who likes marmalade?' },
      { role: 'assistant', text: 'A quokka plays the xylophone.' },
    ])
    expect(await kept(page)).toContain('xylophone')

    await page.goto('/settings/privacy#vault')
    await page.getByRole('button', { name: 'Turn on vault' }).click()
    await page.getByLabel('New passphrase').fill(PASSPHRASE)
    await page.getByLabel('Confirm passphrase').fill(PASSPHRASE)
    await inspect(page, testInfo, 'vault-turn-on')
    await page.getByRole('button', { name: 'Turn on and lock' }).click()
    await expect(page.getByText('The vault is on and locked.')).toBeVisible()
    await expectNothingPlain(page)

    await page.goto(address)
    await expect(isLocked(page)).toBeVisible()
    await expect(page).not.toHaveTitle(/marmalade/)
    await expect(page.getByText('marmalade')).toHaveCount(0)
    await unlock(page, 'not this one')
    await expect(page.getByText('Wrong passphrase. Try again.')).toBeVisible()
    await inspect(page, testInfo, 'vault-locked')
    await unlock(page)
    await expect(answers(page).getByText('A quokka plays the xylophone.')).toBeVisible()
    await expect(page).toHaveTitle(/marmalade/)

    // Written with the vault open, and typed without being sent.
    scripted.upstream.next({ text: 'The zeppelin does.', tokensPerSecond: 0 })
    await ask(page, 'And what flies?')
    await answered(page)
    await page.getByRole('textbox', { name: 'Message', exact: true }).fill('rhubarb')
    await page.waitForTimeout(500)
    await expectNothingPlain(page)
    await page.getByRole('combobox', { name: 'Search chats' }).fill('zeppel')
    await expect(page.getByRole('option', { name: /zeppelin/ })).toBeVisible()
    await page.keyboard.press('Escape')

    // Another tab is open with this one, follows what is written, and is locked with it.
    const other = await page.context().newPage()
    await other.goto(address)
    await expect(answers(other).getByText('The zeppelin does.')).toBeVisible()
    scripted.upstream.next({ text: 'Only at dawn.', tokensPerSecond: 0 })
    await ask(other, 'When?')
    await answered(other, 2)
    await expect(answers(page).getByText('Only at dawn.')).toBeVisible()
    await page.getByRole('button', { name: 'Lock chats' }).click()
    for (const tab of [page, other]) {
      await expect(isLocked(tab)).toBeVisible()
      await expect(tab.getByText('Only at dawn.')).toHaveCount(0)
      await expect(tab).not.toHaveTitle(/marmalade/)
    }
    await expectNothingPlain(page)
    await other.close()

    await unlock(page)
    await expect(answers(page).getByText('Only at dawn.')).toBeVisible()
    await page.getByRole('button', { name: /^Settings/ }).click()
    await page.getByRole('link', { name: 'Privacy and data' }).click()
    await page.getByRole('button', { name: 'Change passphrase' }).click()
    await page.getByLabel('Old passphrase').fill(PASSPHRASE)
    await page.getByLabel('New passphrase').fill(`${PASSPHRASE} anew`)
    await page.getByLabel('Confirm passphrase').fill(`${PASSPHRASE} anew`)
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await expect(page.getByText('Passphrase changed')).toBeVisible()
    await inspect(page, testInfo, 'vault-setting')
    // A page that is loaded again is locked, and the new passphrase opens it.
    await page.reload()
    await expect(page.getByText('The vault is on and locked.')).toBeVisible()
    await page.getByRole('main').getByRole('link', { name: 'Unlock' }).click()
    await unlock(page, `${PASSPHRASE} anew`)
    await expect(page.getByRole('button', { name: 'Lock chats' })).toBeVisible()
    await page.getByRole('button', { name: /^Settings/ }).click()
    await page.getByRole('link', { name: 'Privacy and data' }).click()

    await addAuthenticator(page)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByLabel('Passphrase', { exact: true }).fill(`${PASSPHRASE} anew`)
    await page.getByRole('dialog').getByRole('button', { name: 'Add passkey' }).click()
    await expect(page.getByText('Passkey added')).toBeVisible()
    await page.getByRole('button', { name: 'Lock now' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Unlock' }).click()
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await page.getByRole('button', { name: /^Settings/ }).click()
    await page.getByRole('link', { name: 'Privacy and data' }).click()
    await page.getByRole('button', { name: 'Turn off vault' }).click()
    await page.getByRole('button', { name: 'Turn off', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Turn on vault' })).toBeVisible()
    const text = await kept(page)
    for (const word of ['marmalade', 'xylophone', 'zeppelin']) expect(text).toContain(word)
    expect(text).not.toContain('passphrase')
    await live(page)
    await page.getByRole('link', { name: 'Who likes marmalade?' }).click()
    await expect(answers(page).getByText('Only at dawn.')).toBeVisible()
  },
)
