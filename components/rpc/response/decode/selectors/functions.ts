/**
 * Functions that contracts have in common, as Solidity writes them, by the standard or the product that they are known
 * from. Where two have the same selector the first one names it. What they return is there to read the reply of a call.
 */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  'ERC-20': `
    name() view returns (string)
    symbol() view returns (string)
    decimals() view returns (uint8)
    totalSupply() view returns (uint256 amount)
    balanceOf(address owner) view returns (uint256 amount)
    transfer(address to, uint256 amount) returns (bool)
    transferFrom(address from, address to, uint256 amountOrId) returns (bool)
    approve(address spender, uint256 amountOrId) returns (bool)
    allowance(address owner, address spender) view returns (uint256 amount)
    increaseAllowance(address spender, uint256 addedAmount) returns (bool)
    decreaseAllowance(address spender, uint256 subtractedAmount) returns (bool)
    mint(address to, uint256 amount)
    mint(uint256 amount)
    burn(uint256 amount)
    burn(address from, uint256 amount)
    burnFrom(address from, uint256 amount)
    cap() view returns (uint256 amount)
    version() view returns (string)
    masterMinter() view returns (address)
    isBlacklisted(address account) view returns (bool)
    getOwner() view returns (address)
  `,
  'ERC-1363': `
    transferAndCall(address to, uint256 amount) returns (bool)
    transferAndCall(address to, uint256 amount, bytes data) returns (bool)
    transferFromAndCall(address from, address to, uint256 amount) returns (bool)
    approveAndCall(address spender, uint256 amount) returns (bool)
    approveAndCall(address spender, uint256 amount, bytes data) returns (bool)
  `,
  'ERC-2612': `
    permit(address owner, address spender, uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
    nonces(address owner) view returns (uint256 nonce)
    DOMAIN_SEPARATOR() view returns (bytes32)
    PERMIT_TYPEHASH() view returns (bytes32)
    eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)
  `,
  'ERC-3009': `
    transferWithAuthorization(address from, address to, uint256 amount, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)
    transferWithAuthorization(address from, address to, uint256 amount, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)
    receiveWithAuthorization(address from, address to, uint256 amount, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)
    receiveWithAuthorization(address from, address to, uint256 amount, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)
    cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)
    cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)
    authorizationState(address authorizer, bytes32 nonce) view returns (bool isUsed)
  `,
  'ERC-721': `
    ownerOf(uint256 tokenId) view returns (address owner)
    safeTransferFrom(address from, address to, uint256 tokenId)
    safeTransferFrom(address from, address to, uint256 tokenId, bytes data)
    setApprovalForAll(address operator, bool isApproved)
    getApproved(uint256 tokenId) view returns (address operator)
    isApprovedForAll(address owner, address operator) view returns (bool)
    tokenURI(uint256 tokenId) view returns (string)
    tokenByIndex(uint256 index) view returns (uint256 tokenId)
    tokenOfOwnerByIndex(address owner, uint256 index) view returns (uint256 tokenId)
    safeMint(address to, uint256 tokenId)
    onERC721Received(address operator, address from, uint256 tokenId, bytes data) returns (bytes4)
    baseURI() view returns (string)
    contractURI() view returns (string)
    royaltyInfo(uint256 tokenId, uint256 salePrice) view returns (address receiver, uint256 royaltyAmount)
  `,
  'ERC-1155': `
    balanceOf(address account, uint256 id) view returns (uint256 amount)
    balanceOfBatch(address[] accounts, uint256[] ids) view returns (uint256[] amounts)
    safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)
    safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)
    uri(uint256 id) view returns (string)
    totalSupply(uint256 id) view returns (uint256 amount)
    exists(uint256 id) view returns (bool)
    mint(address to, uint256 id, uint256 amount, bytes data)
    mintBatch(address to, uint256[] ids, uint256[] amounts, bytes data)
    burn(address from, uint256 id, uint256 amount)
    burnBatch(address from, uint256[] ids, uint256[] amounts)
    onERC1155Received(address operator, address from, uint256 id, uint256 amount, bytes data) returns (bytes4)
    onERC1155BatchReceived(address operator, address from, uint256[] ids, uint256[] amounts, bytes data) returns (bytes4)
  `,
  'ERC-165': `
    supportsInterface(bytes4 interfaceId) view returns (bool)
  `,
  'ERC-1271': `
    isValidSignature(bytes32 hash, bytes signature) view returns (bytes4 magicValue)
  `,
  'ERC-4626': `
    asset() view returns (address)
    totalAssets() view returns (uint256 amount)
    convertToShares(uint256 assets) view returns (uint256 shares)
    convertToAssets(uint256 shares) view returns (uint256 assets)
    maxDeposit(address receiver) view returns (uint256 assets)
    maxMint(address receiver) view returns (uint256 shares)
    maxWithdraw(address owner) view returns (uint256 assets)
    maxRedeem(address owner) view returns (uint256 shares)
    previewDeposit(uint256 assets) view returns (uint256 shares)
    previewMint(uint256 shares) view returns (uint256 assets)
    previewWithdraw(uint256 assets) view returns (uint256 shares)
    previewRedeem(uint256 shares) view returns (uint256 assets)
    deposit(uint256 assets, address receiver) returns (uint256 shares)
    mint(uint256 shares, address receiver) returns (uint256 assets)
    withdraw(uint256 assets, address receiver, address owner) returns (uint256 shares)
    redeem(uint256 shares, address receiver, address owner) returns (uint256 assets)
  `,
  'Wrapped Ether': `
    deposit() payable
    withdraw(uint256 amount)
    depositTo(address to) payable
    withdrawTo(address to, uint256 amount)
  `,
  Staked: `
    submit(address referral) payable returns (uint256 shares)
    getRate() view returns (uint256 rate)
    getPooledEthByShares(uint256 shares) view returns (uint256 amount)
    getSharesByPooledEth(uint256 amount) view returns (uint256 shares)
    wrap(uint256 amount) returns (uint256 wrappedAmount)
    unwrap(uint256 wrappedAmount) returns (uint256 amount)
    stEthPerToken() view returns (uint256 amount)
    exchangeRate() view returns (uint256 rate)
    stake(uint256 amount)
    unstake(uint256 amount)
    withdraw()
    stake() payable
    claim()
    claim(address account)
    exit()
    getReward()
    earned(address account) view returns (uint256 amount)
    rewardRate() view returns (uint256 amount)
    rewardsToken() view returns (address)
    stakingToken() view returns (address)
  `,
  Ownable: `
    owner() view returns (address)
    transferOwnership(address newOwner)
    renounceOwnership()
    pendingOwner() view returns (address)
    acceptOwnership()
    pause()
    unpause()
    paused() view returns (bool)
    initialize()
    initialize(address owner)
  `,
  AccessControl: `
    hasRole(bytes32 role, address account) view returns (bool)
    getRoleAdmin(bytes32 role) view returns (bytes32)
    grantRole(bytes32 role, address account)
    revokeRole(bytes32 role, address account)
    renounceRole(bytes32 role, address callerConfirmation)
    getRoleMember(bytes32 role, uint256 index) view returns (address)
    getRoleMemberCount(bytes32 role) view returns (uint256)
    DEFAULT_ADMIN_ROLE() view returns (bytes32)
    MINTER_ROLE() view returns (bytes32)
    PAUSER_ROLE() view returns (bytes32)
  `,
  Proxy: `
    implementation() view returns (address)
    admin() view returns (address)
    upgradeTo(address newImplementation)
    upgradeToAndCall(address newImplementation, bytes data) payable
    changeAdmin(address newAdmin)
    proxiableUUID() view returns (bytes32)
    UPGRADE_INTERFACE_VERSION() view returns (string)
    getImplementation() view returns (address)
    upgrade(address proxy, address implementation)
    upgradeAndCall(address proxy, address implementation, bytes data) payable
    facets() view returns ((address facetAddress, bytes4[] functionSelectors)[])
    facetAddress(bytes4 functionSelector) view returns (address)
    diamondCut((address facetAddress, uint8 action, bytes4[] functionSelectors)[] cuts, address init, bytes data)
  `,
  Multicall: `
    aggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes[] returnData)
    tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)
    blockAndAggregate((address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)
    tryBlockAndAggregate(bool requireSuccess, (address target, bytes callData)[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, (bool success, bytes returnData)[] returnData)
    aggregate3((address target, bool allowFailure, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)
    aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls) payable returns ((bool success, bytes returnData)[] returnData)
    getEthBalance(address account) view returns (uint256 balance)
    getBlockNumber() view returns (uint256 blockNumber)
    getBlockHash(uint256 blockNumber) view returns (bytes32 blockHash)
    getCurrentBlockTimestamp() view returns (uint256 timestamp)
    getCurrentBlockGasLimit() view returns (uint256 gasLimit)
    getCurrentBlockCoinbase() view returns (address coinbase)
    getLastBlockHash() view returns (bytes32 blockHash)
    getBasefee() view returns (uint256 basefee)
    getChainId() view returns (uint256 chainId)
    multicall(bytes[] data) payable returns (bytes[] results)
    multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)
    multicall(bytes32 previousBlockHash, bytes[] data) payable returns (bytes[] results)
  `,
  'Uniswap V2': `
    factory() view returns (address)
    WETH() view returns (address)
    swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)
    swapTokensForExactTokens(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[] amounts)
    swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable returns (uint256[] amounts)
    swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline) returns (uint256[] amounts)
    swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[] amounts)
    swapETHForExactTokens(uint256 amountOut, address[] path, address to, uint256 deadline) payable returns (uint256[] amounts)
    swapExactTokensForTokensSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
    swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable
    swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)
    addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB, uint256 liquidity)
    addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) payable returns (uint256 amountToken, uint256 amountETH, uint256 liquidity)
    removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB)
    removeLiquidityETH(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) returns (uint256 amountToken, uint256 amountETH)
    removeLiquidityWithPermit(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline, bool approveMax, uint8 v, bytes32 r, bytes32 s) returns (uint256 amountA, uint256 amountB)
    getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)
    getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)
    getAmountOut(uint256 amountIn, uint256 reserveIn, uint256 reserveOut) pure returns (uint256 amountOut)
    quote(uint256 amountA, uint256 reserveA, uint256 reserveB) pure returns (uint256 amountB)
    getPair(address tokenA, address tokenB) view returns (address pair)
    allPairs(uint256 index) view returns (address pair)
    allPairsLength() view returns (uint256)
    createPair(address tokenA, address tokenB) returns (address pair)
    token0() view returns (address)
    token1() view returns (address)
    getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast)
    price0CumulativeLast() view returns (uint256)
    price1CumulativeLast() view returns (uint256)
    kLast() view returns (uint256)
    mint(address to) returns (uint256 liquidity)
    burn(address to) returns (uint256 amount0, uint256 amount1)
    swap(uint256 amount0Out, uint256 amount1Out, address to, bytes data)
    skim(address to)
    sync()
  `,
  'Uniswap V3': `
    slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality, uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked)
    liquidity() view returns (uint128)
    fee() view returns (uint24)
    tickSpacing() view returns (int24)
    ticks(int24 tick) view returns (uint128 liquidityGross, int128 liquidityNet, uint256 feeGrowthOutside0X128, uint256 feeGrowthOutside1X128, int56 tickCumulativeOutside, uint160 secondsPerLiquidityOutsideX128, uint32 secondsOutside, bool initialized)
    observe(uint32[] secondsAgos) view returns (int56[] tickCumulatives, uint160[] secondsPerLiquidityCumulativeX128s)
    getPool(address tokenA, address tokenB, uint24 fee) view returns (address pool)
    createPool(address tokenA, address tokenB, uint24 fee) returns (address pool)
    swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96, bytes data) returns (int256 amount0, int256 amount1)
    flash(address recipient, uint256 amount0, uint256 amount1, bytes data)
    exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)
    exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountOut)
    exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256 amountOut)
    exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256 amountOut)
    exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountIn)
    exactOutputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountOut, uint256 amountInMaximum, uint160 sqrtPriceLimitX96) params) payable returns (uint256 amountIn)
    exactOutput((bytes path, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum) params) payable returns (uint256 amountIn)
    exactOutput((bytes path, address recipient, uint256 amountOut, uint256 amountInMaximum) params) payable returns (uint256 amountIn)
    quoteExactInputSingle((address tokenIn, address tokenOut, uint256 amountIn, uint24 fee, uint160 sqrtPriceLimitX96) params) returns (uint256 amountOut, uint160 sqrtPriceX96After, uint32 initializedTicksCrossed, uint256 gasEstimate)
    quoteExactInput(bytes path, uint256 amountIn) returns (uint256 amountOut, uint160[] sqrtPriceX96AfterList, uint32[] initializedTicksCrossedList, uint256 gasEstimate)
    unwrapWETH9(uint256 amountMinimum, address recipient) payable
    refundETH() payable
    sweepToken(address token, uint256 amountMinimum, address recipient) payable
    selfPermit(address token, uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable
    mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)
    increaseLiquidity((uint256 tokenId, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint128 liquidity, uint256 amount0, uint256 amount1)
    decreaseLiquidity((uint256 tokenId, uint128 liquidity, uint256 amount0Min, uint256 amount1Min, uint256 deadline) params) payable returns (uint256 amount0, uint256 amount1)
    collect((uint256 tokenId, address recipient, uint128 amount0Max, uint128 amount1Max) params) payable returns (uint256 amount0, uint256 amount1)
    positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128, uint128 tokensOwed0, uint128 tokensOwed1)
  `,
  'Universal Router': `
    execute(bytes commands, bytes[] inputs, uint256 deadline) payable
    execute(bytes commands, bytes[] inputs) payable
  `,
  'Uniswap V4': `
    unlock(bytes data) returns (bytes)
    modifyLiquidities(bytes unlockData, uint256 deadline) payable
    extsload(bytes32 slot) view returns (bytes32)
    initialize((address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key, uint160 sqrtPriceX96) returns (int24 tick)
    swap((address currency0, address currency1, uint24 fee, int24 tickSpacing, address hooks) key, (bool zeroForOne, int256 amountSpecified, uint160 sqrtPriceLimitX96) params, bytes hookData) returns (int256 swapDelta)
  `,
  Permit2: `
    approve(address token, address spender, uint160 amount, uint48 expiration)
    allowance(address owner, address token, address spender) view returns (uint160 amount, uint48 expiration, uint48 nonce)
    transferFrom(address from, address to, uint160 amount, address token)
    transferFrom((address from, address to, uint160 amount, address token)[] transferDetails)
    permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce) details, address spender, uint256 sigDeadline) permitSingle, bytes signature)
    permit(address owner, ((address token, uint160 amount, uint48 expiration, uint48 nonce)[] details, address spender, uint256 sigDeadline) permitBatch, bytes signature)
    permitTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes signature)
    permitWitnessTransferFrom(((address token, uint256 amount) permitted, uint256 nonce, uint256 deadline) permit, (address to, uint256 requestedAmount) transferDetails, address owner, bytes32 witness, string witnessTypeString, bytes signature)
    lockdown((address token, address spender)[] approvals)
    nonceBitmap(address owner, uint256 word) view returns (uint256 bitmap)
    invalidateUnorderedNonces(uint256 word, uint256 mask)
  `,
  Safe: `
    execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures) payable returns (bool success)
    execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation) returns (bool success)
    getThreshold() view returns (uint256)
    getOwners() view returns (address[])
    isOwner(address owner) view returns (bool)
    nonce() view returns (uint256)
    addOwnerWithThreshold(address owner, uint256 threshold)
    removeOwner(address prevOwner, address owner, uint256 threshold)
    swapOwner(address prevOwner, address oldOwner, address newOwner)
    changeThreshold(uint256 threshold)
    enableModule(address module)
    disableModule(address prevModule, address module)
    isModuleEnabled(address module) view returns (bool)
    setGuard(address guard)
    setFallbackHandler(address handler)
    approveHash(bytes32 hashToApprove)
    approvedHashes(address owner, bytes32 hash) view returns (uint256)
    setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)
    createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce) returns (address proxy)
    multiSend(bytes transactions) payable
    getTransactionHash(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, uint256 nonce) view returns (bytes32)
    domainSeparator() view returns (bytes32)
    VERSION() view returns (string)
  `,
  'ERC-4337': `
    handleOps((address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)[] ops, address beneficiary)
    handleOps((address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)[] ops, address beneficiary)
    getNonce(address sender, uint192 key) view returns (uint256 nonce)
    getUserOpHash((address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature) userOp) view returns (bytes32)
    getSenderAddress(bytes initCode)
    depositTo(address account) payable
    withdrawTo(address withdrawAddress, uint256 withdrawAmount)
    addStake(uint32 unstakeDelaySec) payable
    unlockStake()
    withdrawStake(address withdrawAddress)
    getDepositInfo(address account) view returns ((uint256 deposit, bool staked, uint112 stake, uint32 unstakeDelaySec, uint48 withdrawTime) info)
    validateUserOp((address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature) userOp, bytes32 userOpHash, uint256 missingAccountFunds) returns (uint256 validationData)
    entryPoint() view returns (address)
    createAccount(address owner, uint256 salt) returns (address account)
    getAddress(address owner, uint256 salt) view returns (address account)
  `,
  'Smart account': `
    execute(address target, uint256 value, bytes data)
    execute(bytes32 mode, bytes executionCalldata) payable
    executeBatch(address[] targets, uint256[] values, bytes[] data)
    executeBatch((address target, uint256 value, bytes data)[] calls) payable
    executeBatch(address[] targets, bytes[] data)
    executeUserOp(address to, uint256 value, bytes data, uint8 operation)
    installModule(uint256 moduleTypeId, address module, bytes initData)
    uninstallModule(uint256 moduleTypeId, address module, bytes deInitData)
    isModuleInstalled(uint256 moduleTypeId, address module, bytes additionalContext) view returns (bool)
    accountId() view returns (string)
  `,
  ENS: `
    resolver(bytes32 node) view returns (address)
    owner(bytes32 node) view returns (address)
    ttl(bytes32 node) view returns (uint64)
    recordExists(bytes32 node) view returns (bool)
    setResolver(bytes32 node, address resolver)
    setSubnodeRecord(bytes32 node, bytes32 label, address owner, address resolver, uint64 ttl)
    addr(bytes32 node) view returns (address)
    addr(bytes32 node, uint256 coinType) view returns (bytes)
    setAddr(bytes32 node, address account)
    name(bytes32 node) view returns (string)
    setName(string name) returns (bytes32 node)
    text(bytes32 node, string key) view returns (string)
    setText(bytes32 node, string key, string value)
    contenthash(bytes32 node) view returns (bytes)
    setContenthash(bytes32 node, bytes hash)
    resolve(bytes name, bytes data) view returns (bytes result, address resolver)
    reverse(bytes reverseName) view returns (string name, address account, address reverseResolver, address resolver)
    available(string name) view returns (bool)
    rentPrice(string name, uint256 duration) view returns ((uint256 base, uint256 premium) price)
    makeCommitment(string name, address owner, uint256 duration, bytes32 secret, address resolver, bytes[] data, bool reverseRecord, uint16 ownerControlledFuses) view returns (bytes32)
    commit(bytes32 commitment)
    register(string name, address owner, uint256 duration, bytes32 secret, address resolver, bytes[] data, bool reverseRecord, uint16 ownerControlledFuses) payable
    renew(string name, uint256 duration) payable
    nameExpires(uint256 id) view returns (uint256 expires)
  `,
  Chainlink: `
    latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    getRoundData(uint80 roundId) view returns (uint80 id, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    latestAnswer() view returns (int256 answer)
    latestTimestamp() view returns (uint256 timestamp)
    latestRound() view returns (uint256 round)
    description() view returns (string)
    aggregator() view returns (address)
  `,
  'Aave V3': `
    supply(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)
    supplyWithPermit(address asset, uint256 amount, address onBehalfOf, uint16 referralCode, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
    withdraw(address asset, uint256 amount, address to) returns (uint256 withdrawnAmount)
    borrow(address asset, uint256 amount, uint256 interestRateMode, uint16 referralCode, address onBehalfOf)
    repay(address asset, uint256 amount, uint256 interestRateMode, address onBehalfOf) returns (uint256 repaidAmount)
    repayWithATokens(address asset, uint256 amount, uint256 interestRateMode) returns (uint256 repaidAmount)
    liquidationCall(address collateralAsset, address debtAsset, address user, uint256 debtToCover, bool receiveAToken)
    flashLoan(address receiverAddress, address[] assets, uint256[] amounts, uint256[] interestRateModes, address onBehalfOf, bytes params, uint16 referralCode)
    flashLoanSimple(address receiverAddress, address asset, uint256 amount, bytes params, uint16 referralCode)
    getUserAccountData(address user) view returns (uint256 totalCollateralBase, uint256 totalDebtBase, uint256 availableBorrowsBase, uint256 currentLiquidationThreshold, uint256 ltv, uint256 healthFactor)
    getReservesList() view returns (address[])
    getReserveNormalizedIncome(address asset) view returns (uint256)
    setUserUseReserveAsCollateral(address asset, bool useAsCollateral)
    setUserEMode(uint8 categoryId)
    getAssetPrice(address asset) view returns (uint256 price)
    deposit(address asset, uint256 amount, address onBehalfOf, uint16 referralCode)
    UNDERLYING_ASSET_ADDRESS() view returns (address)
    scaledBalanceOf(address user) view returns (uint256 amount)
  `,
  Compound: `
    supply(address asset, uint256 amount)
    supplyTo(address to, address asset, uint256 amount)
    withdraw(address asset, uint256 amount)
    borrowBalanceOf(address account) view returns (uint256 amount)
    getUtilization() view returns (uint256)
    redeem(uint256 redeemTokens) returns (uint256 errorCode)
    redeemUnderlying(uint256 redeemAmount) returns (uint256 errorCode)
    borrow(uint256 borrowAmount) returns (uint256 errorCode)
    repayBorrow(uint256 repayAmount) returns (uint256 errorCode)
    enterMarkets(address[] cTokens) returns (uint256[] errorCodes)
    exchangeRateStored() view returns (uint256)
    underlying() view returns (address)
    comptroller() view returns (address)
  `,
  Curve: `
    coins(uint256 index) view returns (address)
    balances(uint256 index) view returns (uint256 amount)
    get_dy(int128 i, int128 j, uint256 dx) view returns (uint256 amount)
    exchange(int128 i, int128 j, uint256 dx, uint256 minDy) returns (uint256 amount)
    exchange(uint256 i, uint256 j, uint256 dx, uint256 minDy) payable returns (uint256 amount)
    get_virtual_price() view returns (uint256)
    A() view returns (uint256)
    add_liquidity(uint256[2] amounts, uint256 minMintAmount) payable returns (uint256 amount)
    add_liquidity(uint256[3] amounts, uint256 minMintAmount)
    remove_liquidity_one_coin(uint256 tokenAmount, int128 i, uint256 minAmount) returns (uint256 amount)
  `,
  Seaport: `
    fulfillBasicOrder((address considerationToken, uint256 considerationIdentifier, uint256 considerationAmount, address offerer, address zone, address offerToken, uint256 offerIdentifier, uint256 offerAmount, uint8 basicOrderType, uint256 startTime, uint256 endTime, bytes32 zoneHash, uint256 salt, bytes32 offererConduitKey, bytes32 fulfillerConduitKey, uint256 totalOriginalAdditionalRecipients, (uint256 amount, address recipient)[] additionalRecipients, bytes signature) parameters) payable returns (bool fulfilled)
    fulfillBasicOrder_efficient_6GL6yc((address considerationToken, uint256 considerationIdentifier, uint256 considerationAmount, address offerer, address zone, address offerToken, uint256 offerIdentifier, uint256 offerAmount, uint8 basicOrderType, uint256 startTime, uint256 endTime, bytes32 zoneHash, uint256 salt, bytes32 offererConduitKey, bytes32 fulfillerConduitKey, uint256 totalOriginalAdditionalRecipients, (uint256 amount, address recipient)[] additionalRecipients, bytes signature) parameters) payable returns (bool fulfilled)
    fulfillOrder(((address offerer, address zone, (uint8 itemType, address token, uint256 identifierOrCriteria, uint256 startAmount, uint256 endAmount)[] offer, (uint8 itemType, address token, uint256 identifierOrCriteria, uint256 startAmount, uint256 endAmount, address recipient)[] consideration, uint8 orderType, uint256 startTime, uint256 endTime, bytes32 zoneHash, uint256 salt, bytes32 conduitKey, uint256 totalOriginalConsiderationItems) parameters, bytes signature) order, bytes32 fulfillerConduitKey) payable returns (bool fulfilled)
    fulfillAdvancedOrder(((address offerer, address zone, (uint8 itemType, address token, uint256 identifierOrCriteria, uint256 startAmount, uint256 endAmount)[] offer, (uint8 itemType, address token, uint256 identifierOrCriteria, uint256 startAmount, uint256 endAmount, address recipient)[] consideration, uint8 orderType, uint256 startTime, uint256 endTime, bytes32 zoneHash, uint256 salt, bytes32 conduitKey, uint256 totalOriginalConsiderationItems) parameters, uint120 numerator, uint120 denominator, bytes signature, bytes extraData) advancedOrder, (uint256 orderIndex, uint8 side, uint256 index, uint256 identifier, bytes32[] criteriaProof)[] criteriaResolvers, bytes32 fulfillerConduitKey, address recipient) payable returns (bool fulfilled)
    getCounter(address offerer) view returns (uint256 counter)
    incrementCounter() returns (uint256 newCounter)
    getOrderStatus(bytes32 orderHash) view returns (bool isValidated, bool isCancelled, uint256 totalFilled, uint256 totalSize)
    information() view returns (string version, bytes32 domainSeparator, address conduitController)
  `,
  CCTP: `
    depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken) returns (uint64 nonce)
    depositForBurn(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold)
    depositForBurnWithCaller(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller) returns (uint64 nonce)
    depositForBurnWithHook(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes hookData)
    receiveMessage(bytes message, bytes attestation) returns (bool success)
    sendMessage(uint32 destinationDomain, bytes32 recipient, bytes messageBody) returns (uint64 nonce)
    localDomain() view returns (uint32)
    usedNonces(bytes32 nonce) view returns (uint256)
  `,
  'OP Stack': `
    depositTransaction(address to, uint256 value, uint64 gasLimit, bool isCreation, bytes data) payable
    depositETH(uint32 minGasLimit, bytes extraData) payable
    depositETHTo(address to, uint32 minGasLimit, bytes extraData) payable
    bridgeETHTo(address to, uint32 minGasLimit, bytes extraData) payable
    depositERC20(address l1Token, address l2Token, uint256 amount, uint32 minGasLimit, bytes extraData)
    depositERC20To(address l1Token, address l2Token, address to, uint256 amount, uint32 minGasLimit, bytes extraData)
    bridgeERC20To(address localToken, address remoteToken, address to, uint256 amount, uint32 minGasLimit, bytes extraData)
    withdraw(address l2Token, uint256 amount, uint32 minGasLimit, bytes extraData) payable
    proveWithdrawalTransaction((uint256 nonce, address sender, address target, uint256 value, uint256 gasLimit, bytes data) tx, uint256 disputeGameIndex, (bytes32 version, bytes32 stateRoot, bytes32 messagePasserStorageRoot, bytes32 latestBlockhash) outputRootProof, bytes[] withdrawalProof)
    finalizeWithdrawalTransaction((uint256 nonce, address sender, address target, uint256 value, uint256 gasLimit, bytes data) tx)
    relayMessage(uint256 nonce, address sender, address target, uint256 value, uint256 minGasLimit, bytes message) payable
    setL1BlockValues(uint64 number, uint64 timestamp, uint256 basefee, bytes32 hash, uint64 sequenceNumber, bytes32 batcherHash, uint256 l1FeeOverhead, uint256 l1FeeScalar)
    setL1BlockValuesEcotone()
    setL1BlockValuesIsthmus()
    getL1Fee(bytes data) view returns (uint256 fee)
    l1BaseFee() view returns (uint256)
    initiateWithdrawal(address target, uint256 gasLimit, bytes data) payable
  `,
  Arbitrum: `
    depositEth() payable returns (uint256)
    withdrawEth(address destination) payable returns (uint256)
    outboundTransfer(address token, address to, uint256 amount, uint256 maxGas, uint256 gasPriceBid, bytes data) payable returns (bytes)
    createRetryableTicket(address to, uint256 l2CallValue, uint256 maxSubmissionCost, address excessFeeRefundAddress, address callValueRefundAddress, uint256 gasLimit, uint256 maxFeePerGas, bytes data) payable returns (uint256)
    redeem(bytes32 ticketId) returns (bytes32)
    arbBlockNumber() view returns (uint256 blockNumber)
    sendTxToL1(address destination, bytes data) payable returns (uint256)
  `,
  Bridge: `
    bridgeAsset(uint32 destinationNetwork, address destinationAddress, uint256 amount, address token, bool forceUpdateGlobalExitRoot, bytes permitData) payable
    claimMessageWithProof((bytes32[] proof, uint256 messageNumber, uint32 leafIndex, address from, address to, uint256 fee, uint256 value, address feeRecipient, bytes32 merkleRoot, bytes data) params)
    sendMessage(address to, uint256 fee, bytes data) payable
    requestL2Transaction(address contractL2, uint256 l2Value, bytes data, uint256 l2GasLimit, uint256 l2GasPerPubdataByteLimit, bytes[] factoryDeps, address refundRecipient) payable returns (bytes32 txHash)
    deposit(address l2Receiver, address l1Token, uint256 amount, uint256 l2TxGasLimit, uint256 l2TxGasPerPubdataByte, address refundRecipient) payable returns (bytes32 txHash)
    depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes message) payable
    send((uint32 dstEid, bytes32 to, uint256 amountLD, uint256 minAmountLD, bytes extraOptions, bytes composeMsg, bytes oftCmd) sendParam, (uint256 nativeFee, uint256 lzTokenFee) fee, address refundAddress) payable returns ((bytes32 guid, uint64 nonce, (uint256 nativeFee, uint256 lzTokenFee) fee) receipt, (uint256 amountSentLD, uint256 amountReceivedLD) oftReceipt)
    quoteSend((uint32 dstEid, bytes32 to, uint256 amountLD, uint256 minAmountLD, bytes extraOptions, bytes composeMsg, bytes oftCmd) sendParam, bool payInLzToken) view returns ((uint256 nativeFee, uint256 lzTokenFee) fee)
  `,
  Governance: `
    propose(address[] targets, uint256[] values, bytes[] calldatas, string description) returns (uint256 proposalId)
    castVote(uint256 proposalId, uint8 support) returns (uint256 weight)
    castVoteWithReason(uint256 proposalId, uint8 support, string reason) returns (uint256 weight)
    queue(address[] targets, uint256[] values, bytes[] calldatas, bytes32 descriptionHash) returns (uint256 proposalId)
    execute(address[] targets, uint256[] values, bytes[] calldatas, bytes32 descriptionHash) payable returns (uint256 proposalId)
    state(uint256 proposalId) view returns (uint8)
    proposalVotes(uint256 proposalId) view returns (uint256 againstVotes, uint256 forVotes, uint256 abstainVotes)
    delegate(address delegatee)
    delegates(address account) view returns (address)
    getVotes(address account) view returns (uint256 amount)
    getPastVotes(address account, uint256 timepoint) view returns (uint256 amount)
    schedule(address target, uint256 value, bytes data, bytes32 predecessor, bytes32 salt, uint256 delay)
    clock() view returns (uint48)
    CLOCK_MODE() view returns (string)
  `,
  'Beacon deposit': `
    deposit(bytes pubkey, bytes withdrawalCredentials, bytes signature, bytes32 depositDataRoot) payable
    get_deposit_root() view returns (bytes32)
    get_deposit_count() view returns (bytes)
  `,
  Create2: `
    deploy(uint256 amount, bytes32 salt, bytes bytecode) returns (address)
    safeCreate2(bytes32 salt, bytes initializationCode) payable returns (address)
    deployCreate3(bytes32 salt, bytes initCode) payable returns (address)
  `,
}
