// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

/// A token to stake. Its constructor writes no storage that is read: the runtime code works at any address.
contract StakingToken is ERC20 {
    constructor() ERC20("", "") {}

    function name() public pure override returns (string memory) {
        return "Sandbox Stake";
    }

    function symbol() public pure override returns (string memory) {
        return "STAKE";
    }

    /// Anybody may: it is test money.
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
