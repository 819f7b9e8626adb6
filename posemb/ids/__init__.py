"""Id schemes: which position id each token has. One file each."""
